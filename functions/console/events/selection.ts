import { InputError } from '../../../shared/errors.ts';
import { formatNumber } from '../components/format.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import type { Matches } from './find-matches.ts';

/** The actions on selected events, each with the page that previews its effect. */
const actions = {
  replay: ['Replay…', 'runs/new'],
  discard: ['Discard…', 'events/discard'],
  reopen: ['Reopen…', 'events/reopen'],
  reprioritize: ['Reprioritize…', 'events/reprioritize'],
} as const;

/** A table of events with the actions on them. */
export function selectionForm(text: string, matches: Matches, rows: Content): Html {
  const all = `all ${formatNumber(matches.events)}${matches.isAll ? '' : '+'} matching events`;
  return html`<form action="events/selection" data-selection>
    <input type="hidden" name="q" value="${text}">
    <div class="actions action-bar">
      <select name="scope" aria-label="Apply to">
        <option value="selected">selected events</option><option value="all">${all}</option>
      </select>
      ${Object.entries(actions).map(([action, [words]]) => html`<button name="command" value="${action}">${words}</button>`)}
      <span class="muted small" data-selection-count aria-live="polite"></span>
    </div>
    ${rows}
  </form>`;
}

/** `GET /events/selection?command=&scope=&id=&q=`: redirects to the preview of an action on the selected events. */
export function redirectToAction(_deps: ConsoleDeps, { query }: PageContext): Redirect {
  const action = query.get('command') ?? '';
  const [, path] = Object.entries(actions).find(([name]) => name === action)?.[1] ?? [];
  if (!path) {
    const remedy = `Use one of ${Object.keys(actions).join(', ')}.`;
    throw new InputError([{ field: 'command', value: action, remedy }]);
  }
  const q = query.get('scope') === 'all' ? (query.get('q') ?? '') : nameSelected(query.getAll('id'));
  return { to: `${path}?${new URLSearchParams({ q })}` };
}

function nameSelected(ids: readonly string[]): string {
  if (ids.length > 0) return `id:${ids.join(',')}`;
  const remedy = 'No event is selected: go back and select events, or choose all matching events.';
  throw new InputError([{ field: 'id', value: ids, remedy }]);
}
