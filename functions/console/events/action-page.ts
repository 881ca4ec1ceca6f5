import { countOf } from '../../../shared/count-of.ts';
import type { ActionInput, EventAction } from '../../../shared/events/actions/define-action.ts';
import { type ActionOutcome, requestAction } from '../../../shared/events/actions/run-action.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { parseFilterText } from '../../../shared/events/filter/parse-filter-text.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { listEvents } from '../../../shared/events/list-events.ts';
import type { Status } from '../../../shared/message/event.ts';
import { checkbox, confirmForm, hiddenField, readNumber, textField } from '../components/form.ts';
import { pageHead, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { type Answer, fieldsOf } from '../page.ts';
import { eventTable } from './event-table.ts';
import { readPreviewedFilter } from './previewed-filter.ts';
import { searchLink } from './search.ts';

const maxShown = 10;

/** `GET /events/discard?q=` and so on: previews an action. Changes nothing. */
export function actionPage(action: EventAction): Answer {
  const { name, verb, effect, tone, inputs, read } = action;
  return async (deps, context) => {
    const { caller, now } = context;
    const fields = fieldsOf(context);
    const text = fields.get('q') ?? '';
    const body = { ...composeBody(action, fields, { now, isPreview: true }), dryRun: true };
    const requested = read({ body, actor: caller.name, now });
    const { remaining, leased } = await requestAction(deps, caller, requested);
    const events = await listEvents(deps.db, requested.action.filter, { ...firstPosition, max: maxShown });
    const title = `${verb} ${countOf(remaining, 'event')}`;
    const main = html`${pageHead(title, [['Events', searchLink(text)], [text || 'all']])}
      <div class="columns"><div>
        ${remaining === 0 && nothingToDo}
        ${events.length > 0 && section('Latest matching events', eventTable(events, { isNarrow: true }))}
      </div><div>
        <p>${effect}</p>
        ${leased > 0 && html`<p class="warning">${countOf(leased, 'event')} being delivered now will be skipped.</p>`}
        ${confirmForm(context, {
          action: `events/${name}`,
          content: html`${hiddenField('q', text)}${hiddenField('asOf', now.toISOString())}
            ${Object.entries(inputs).map(([input, asks]) => inputField(input, asks, fields))}`,
          submit: remaining > 0 && title,
          tone,
          cancel: searchLink(text),
        })}
      </div></div>`;
    return { title, tab: 'events', main };
  };
}

const nothingToDo = html`<div class="empty"><h2>Nothing to do</h2><p>No matching event has a status that this action applies to.</p></div>`;

/**
 * `POST /events/discard {q, asOf, reason, ...}`: runs an action and redirects to the events, with its result.
 */
export function runActionByForm(action: EventAction): Answer {
  return async (deps, { form, caller, now }) => {
    const body = composeBody(action, form, { now, isPreview: false });
    const requested = action.read({ body, actor: caller.name, now });
    const result = await requestAction(deps, caller, requested);
    const undo = result.changed > 0 ? `activity/${result.auditId}/undo` : undefined;
    const to = showChanged(form.get('q') ?? '', requested.action.sets.status);
    return { to, notice: describeResult(action, result), undo };
  };
}

/** The list of the events in the status that an action gave them. */
function showChanged(text: string, status: Status | undefined): string {
  const parsed = parseFilterText(text);
  if (status === undefined || !parsed.ok) return searchLink(text);
  return searchLink(printFilterText({ ...parsed.value, status: [status] }));
}

/** A preview depends on no text that is typed, which may be wrong. */
function composeBody(
  { inputs }: EventAction,
  fields: URLSearchParams,
  { now, isPreview }: { readonly now: Date; readonly isPreview: boolean },
) {
  const asOf = fields.get('asOf') ?? undefined;
  const values = Object.entries(inputs).map(([name, { control, initial }]) => {
    const text = isPreview && control !== 'checkbox' ? initial : (fields.get(name) ?? initial);
    return [name, control === 'checkbox' ? text === 'on' : control === 'number' ? readNumber(text) : text];
  });
  return {
    filter: readPreviewedFilter({ text: fields.get('q') ?? '', asOf, now }),
    reason: isPreview ? 'preview' : (fields.get('reason') ?? ''),
    ...Object.fromEntries(values),
  };
}

function inputField(
  name: string,
  { label, control, initial, hint }: ActionInput,
  fields: URLSearchParams,
): Html {
  const value = fields.get(name) ?? initial;
  if (control === 'checkbox') return checkbox(name, label, value === 'on');
  return textField({ name, label, value, isRequired: true, hint });
}

function describeResult({ done }: EventAction, { changed, leased, remaining }: ActionOutcome): string {
  const sentences = [`${countOf(changed, 'event was', 'events were')} ${done}.`];
  if (leased > 0)
    sentences.push(`${countOf(leased, 'event being delivered was', 'events being delivered were')} skipped.`);
  if (remaining > 0)
    sentences.push(`Time ran out for ${countOf(remaining, 'event')}: repeat the action for the rest.`);
  return sentences.join(' ');
}
