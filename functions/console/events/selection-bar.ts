import { type Content, type Html, html } from '../html.ts';
import { formatNumber } from '../parts/number.ts';

const acts = [
  ['replay', 'Replay…'],
  ['discard', 'Discard…'],
  ['reopen', 'Reopen…'],
  ['reprioritise', 'Reprioritise…'],
] as const;

/** What is known of how many match: exactly, or that there are more than could be counted. */
export type Matches = { readonly events: number; readonly isAll: boolean };

/** The rows with what can be done to them. Every act leads to a page that says first what it would do. */
export function selectionForm(text: string, matches: Matches, rows: Content): Html {
  const all = `all ${formatNumber(matches.events)}${matches.isAll ? '' : '+'} that match`;
  return html`<form action="events/selection" data-selection>
    <input type="hidden" name="q" value="${text}">
    <div class="bar">
      <select name="scope" aria-label="What to act on">
        <option value="selected">the selected events</option><option value="all">${all}</option>
      </select>
      ${acts.map(([act, words]) => html`<button name="act" value="${act}">${words}</button>`)}
      <span class="muted small" data-chosen="" aria-live="polite"></span>
    </div>
    ${rows}
  </form>`;
}
