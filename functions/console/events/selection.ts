import { formatNumber } from '../../../shared/count-of.ts';
import { InputError } from '../../../shared/errors.ts';
import { actions } from '../../../shared/events/actions/actions.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import type { Matches } from './find-matches.ts';

/** The actions on selected events, each with the page that previews its effect. */
const commands: Readonly<Record<string, readonly [text: string, path: string, key: string]>> = {
  replay: ['Replay…', 'runs/new', 'r'],
  ...Object.fromEntries(actions.map(({ name, verb, key }) => [name, [`${verb}…`, `events/${name}`, key]])),
};

/** A table of events with the actions on them. */
export function selectionForm(text: string, matches: Matches, rows: Content): Html {
  const all = `all ${formatNumber(matches.events)}${matches.isAll ? '' : '+'} matching events`;
  return html`<form class="selection" action="events/selection">
    <input type="hidden" name="q" value="${text}">
    <div class="actions action-bar">
      <select name="scope" aria-label="Apply to">
        <option value="selected">selected events</option><option value="all">${all}</option>
      </select>
      ${Object.entries(commands).map(([action, [words, , key]]) => html`<button name="command" value="${action}" data-key="${key}">${words}</button>`)}
      <span class="muted small" data-selection-count aria-live="polite"></span><button type="button" class="link small" data-select-all hidden>Select ${all}</button>
    </div>
    ${rows}
  </form>`;
}

/**
 * `GET /events/selection?command=&scope=&id=&q=`: redirects to the preview of an action on the selected
 * events.
 */
export function redirectToAction(_deps: ConsoleDeps, { query }: PageContext): Redirect {
  const action = query.get('command') ?? '';
  const [, path] = Object.hasOwn(commands, action) ? (commands[action] ?? []) : [];
  if (!path) {
    const remedy = `Use one of ${Object.keys(commands).join(', ')}.`;
    throw new InputError([{ field: 'command', value: action, remedy }]);
  }
  const listed = query.get('q') ?? '';
  const ids = query.getAll('id');
  if (query.get('scope') === 'all') return { to: `${path}?${new URLSearchParams({ q: listed })}` };
  if (ids.length > 0) return { to: `${path}?${new URLSearchParams({ q: `id:${ids.join(',')}` })}` };
  const notice = 'No event is selected: select events, or choose all matching events.';
  return { to: `events?${new URLSearchParams({ q: listed })}`, notice };
}
