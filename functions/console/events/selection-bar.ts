import { formatNumber } from '../components/number.ts';
import { type Content, type Html, html } from '../html.ts';

const actions = [
  ['replay', 'Replay…'],
  ['discard', 'Discard…'],
  ['reopen', 'Reopen…'],
  ['reprioritize', 'Reprioritize…'],
] as const;

/** The number of matching events; a lower bound unless `isAll`. */
type Matches = { readonly events: number; readonly isAll: boolean };

/** A table of events with the actions on them. Each action opens a page that previews its effect. */
export function selectionForm(text: string, matches: Matches, rows: Content): Html {
  const all = `all ${formatNumber(matches.events)}${matches.isAll ? '' : '+'} matching events`;
  return html`<form action="events/selection" data-selection>
    <input type="hidden" name="q" value="${text}">
    <div class="action-bar">
      <select name="scope" aria-label="Apply to">
        <option value="selected">selected events</option><option value="all">${all}</option>
      </select>
      ${actions.map(([action, words]) => html`<button name="command" value="${action}">${words}</button>`)}
      <span class="muted small" data-selection-count aria-live="polite"></span>
    </div>
    ${rows}
  </form>`;
}
