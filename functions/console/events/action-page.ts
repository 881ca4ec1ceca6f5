import { isDeepStrictEqual } from 'node:util';
import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { SelectionChangedError } from '../../../shared/errors.ts';
import { actions } from '../../../shared/events/actions/actions.ts';
import type { EventAction } from '../../../shared/events/actions/define-action.ts';
import { type Action, type ActionOutcome, requestAction } from '../../../shared/events/actions/run-action.ts';
import { listAudit } from '../../../shared/events/audit.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { listEvents } from '../../../shared/events/list-events.ts';
import { statuses } from '../../../shared/message/event.ts';
import { changedEvents } from '../activity/action-words.ts';
import { confirmForm, hiddenField, textField } from '../components/form.ts';
import { link, searchLink } from '../components/links.ts';
import { readCommand, readNumber } from '../components/read-form.ts';
import { columns, emptyState, pageHead, section } from '../components/section.ts';
import { type Content, type Html, html } from '../html.ts';
import { type Answer, type ConsoleDeps, fieldsOf, type PageContext, type Redirect } from '../page.ts';
import { eventTable } from './event-table.ts';
import type { Lookup, Matches } from './lookups.ts';
import { readPreviewedFilter, readSearch } from './search.ts';

const maxShown = 10;

/** `GET /events/discard?q=` and so on: previews an action. Changes nothing. */
export function actionPage(action: EventAction): Answer {
  const { name, verb, effect, tone, inputs, read } = action;
  return async (deps, context) => {
    const { caller, now } = context;
    const fields = fieldsOf(context);
    const [text, asOf] = [fields.get('q') ?? '', fields.get('asOf') ?? now.toISOString()];
    // A preview depends on no text that is typed, which may be wrong.
    const previewed = { q: text, asOf, reason: 'preview' };
    const body = { ...composeBody(action, previewed, now), dryRun: true };
    const requested = read({ body, actor: caller.name, now });
    const { remaining, kept } = await requestAction(deps, caller, requested);
    const latest = { ...firstPosition, max: maxShown, readsAll: remaining < 10_000 };
    const events = await listEvents(deps.db, requested.action.filter, latest);
    const title = `${verb} ${countOf(remaining, 'event')}`;
    const none = html`<p>No matching event has a status that this action applies to.</p>`;
    const matching = html`${remaining === 0 && emptyState('Nothing to do', none)}
      ${events.length > 0 && section('Latest matching events', eventTable(events, { isNarrow: true }))}`;
    const form = confirmForm(context, {
      action: `events/${name}`,
      content: html`${hiddenField('q', text)}${hiddenField('asOf', asOf)}${hiddenField('previewed', `${remaining + (kept.leased ?? 0)}`)}
        ${Object.entries(inputs).map(([name, { label, initial, hint }]) => {
          const value = fields.get(name) ?? initial;
          return textField({ name, label, value, hint, isRequired: true });
        })}`,
      submit: remaining > 0 && title,
      tone,
      cancel: searchLink(text),
    });
    const main = html`${pageHead(title, [['Events', searchLink(text)], [text || 'all']])}
      ${columns(matching, html`<p>${effect}</p>${kept.leased && html`<p class="warning">${countOf(kept.leased, 'event')} being delivered now will be skipped.</p>`}${form}`)}`;
    return { title, main };
  };
}

/** `POST /events/discard {q, asOf, reason, ...}`: runs an action and redirects to its events. */
export function runActionByForm(action: EventAction): Answer {
  return async (deps, { form, caller, now }) => {
    const body = composeBody(action, Object.fromEntries(form), now);
    const requested = action.read({ body, actor: caller.name, now });
    const { remaining, kept } = await requestAction(deps, caller, { ...requested, dryRun: true });
    const matching = remaining + (kept.leased ?? 0);
    const previewed = Number(form.get('previewed') ?? matching);
    // Another status or time of events may match by now.
    if (matching > previewed) throw new SelectionChangedError(`${previewed}`);
    const sent = matching === 0 ? await findSent(deps, requested.action) : undefined;
    const result = sent ?? (await requestAction(deps, caller, requested));
    const gone = previewed - matching - (sent?.changed ?? 0);
    const undo = result.changed > 0 ? result.auditId : undefined;
    const changed = changedEvents({ ...readSearch(form), sets: requested.action.sets });
    const to = searchLink(printFilterText(changed ?? {}));
    return { to, notice: describeResult(action, result, gone), undo };
  };
}

/** The result of the same form, by the moment of its preview: without script a second click sends it again. */
async function findSent(deps: ConsoleDeps, { actor, name: action, filter, details }: Action) {
  const terms = { actor, action, since: filter.capturedBefore };
  const entries = await listAudit(deps, terms, { before: maxBigint, max: maxShown });
  const asked = changedEvents(details);
  const sent = entries.find((entry) => isDeepStrictEqual(changedEvents(entry.details), asked));
  return sent?.outcome ? { ...(sent.outcome as ActionOutcome), auditId: sent.id } : undefined;
}

function composeBody({ inputs }: EventAction, fields: Readonly<Record<string, string>>, now: Date) {
  const values = Object.entries(inputs).map(([name, { control, initial }]) => {
    const text = fields[name] ?? initial;
    return [name, control === 'number' ? readNumber(text) : text];
  });
  const { reason = '' } = fields;
  return { filter: readPreviewedFilter(fields, now), reason, ...Object.fromEntries(values) };
}

function describeResult({ done }: EventAction, result: ActionOutcome, gone: number): string {
  const { changed, remaining, kept } = result;
  const skipped = kept.leased && countOf(kept.leased, 'event is', 'events are');
  const sentences = [
    `${countOf(changed, 'event was', 'events were')} ${done}.`,
    gone > 0 && `Skipped: ${countOf(gone, 'event')} changed since the preview.`,
    skipped && `${skipped} being delivered and skipped.`,
    remaining > 0 && `Time ran out for ${countOf(remaining, 'event')}: repeat the action for the rest.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

const commands = [{ name: 'replay', verb: 'Replay', key: 'r', allStatuses: statuses }, ...actions];
const commandNames = commands.map(({ name }) => name);

/** A table of events with the actions on them, but for those that change none of their statuses. */
export function selectionForm({ text, filter }: Lookup, matches: Matches, rows: Content): Html {
  const fitting = commands.filter(({ allStatuses }) =>
    allStatuses.some((each) => filter.status?.includes(each) ?? true),
  );
  const all = `all ${formatNumber(matches.events)}${matches.isAll ? '' : '+'} matching events`;
  return html`<form class="selection" action="events/selection">
    ${hiddenField('q', text)}${rows}
    <div class="actions action-bar">
      <select name="scope" autocomplete="off" aria-label="Apply to">
        <option value="selected">selected events</option><option value="all">${all}</option>
      </select>
      ${fitting.map(({ name, verb, key }) => html`<button name="command" value="${name}" data-key="${key}">${verb}…</button>`)}
      <span class="muted small" data-selection-count aria-live="polite"></span>
    </div>
  </form>`;
}

/** `GET /events/selection?command=&scope=&id=&q=`: redirects to the preview of an action. */
export function redirectToAction(_deps: ConsoleDeps, { query }: PageContext): Redirect {
  const command = readCommand(query, commandNames);
  const path = command === 'replay' ? 'runs/new' : `events/${command}`;
  const { text: listed, filter } = readSearch(query);
  const ids = query.getAll('id');
  if (query.get('scope') === 'all') return { to: link(path, { q: listed }) };
  // A change of closed events has to name their status.
  const selected = { ids, ...(filter?.status && { status: filter.status }) };
  if (ids.length > 0) return { to: link(path, { q: printFilterText(selected) }) };
  const notice = 'No event is selected: select events, or choose all matching events.';
  return { to: searchLink(listed), notice };
}
