import { countOf } from '../../../shared/count-of.ts';
import type { Problem } from '../../../shared/errors.ts';
import type { ActionInput, EventAction } from '../../../shared/events/actions/define-action.ts';
import { type ActionOutcome, requestAction } from '../../../shared/events/actions/run-action.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { parseFilterText } from '../../../shared/events/filter/parse-filter-text.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { listEvents } from '../../../shared/events/list-events.ts';
import type { Status } from '../../../shared/message/event.ts';
import { checkbox, confirmForm, hiddenField, readNumber, textField } from '../components/form.ts';
import { pageHead, section } from '../components/section.ts';
import { listProblems, problemsOf } from '../error-page.ts';
import { type Html, html } from '../html.ts';
import type { Answer, ConsoleDeps, Page, PageContext } from '../page.ts';
import { eventTable } from './event-table.ts';
import { readPreviewedFilter } from './previewed-filter.ts';
import { searchLink } from './search.ts';

const maxShown = 10;

/** `GET /events/discard?q=` and so on: previews an action. Changes nothing. */
export function actionPage(action: EventAction): Answer {
  return (deps, context) => previewPage(deps, context, { action, fields: context.query });
}

/**
 * `POST /events/discard {q, asOf, reason, ...}`: runs an action and redirects to the events, with its result.
 */
export function runActionByForm(action: EventAction): Answer {
  return async (deps, context) => {
    const { form: fields, caller, now } = context;
    try {
      const body = composeBody(action, fields, now);
      const requested = action.read({ body, actor: caller.name, now });
      const result = await requestAction(deps, caller, requested);
      const undo = result.changed > 0 && { undo: `activity/${result.auditId}/undo` };
      const to = showChanged(fields.get('q') ?? '', requested.action.sets.status);
      return { to, notice: describeResult(action, result), ...undo };
    } catch (error) {
      return previewPage(deps, context, { action, fields, problems: problemsOf(error) });
    }
  };
}

/** The list of the events in the status that an action gave them. */
function showChanged(text: string, status: Status | undefined): string {
  const parsed = parseFilterText(text);
  if (status === undefined || !parsed.ok) return searchLink(text);
  return searchLink(printFilterText({ ...parsed.value, status: [status] }));
}

type Asked = {
  readonly action: EventAction;
  readonly fields: URLSearchParams;
  readonly problems?: readonly Problem[] | undefined;
};

async function previewPage(deps: ConsoleDeps, context: PageContext, asked: Asked): Promise<Page> {
  const { action, fields } = asked;
  const { name, verb, effect, tone } = action;
  const text = fields.get('q') ?? '';
  const { result, events, problems } = await preview(deps, context, asked);
  const count = result?.remaining ?? 0;
  const title = result ? `${verb} ${countOf(count, 'event')}` : verb;
  const table = eventTable(events, { now: context.now, isNarrow: true });
  const main = html`${pageHead(title, [['Events', searchLink(text)], [text || 'all']])}
    ${problems && listProblems(problems)}
    <div class="columns"><div>
      ${result && count === 0 && nothingToDo}
      ${events.length > 0 && section('Latest matching events', table)}
    </div><div>
      <p>${effect}</p>
      ${result && result.leased > 0 && html`<p class="warning">${countOf(result.leased, 'event')} being delivered now will be skipped.</p>`}
      ${confirmForm(context, {
        action: `events/${name}`,
        content: html`${hiddenField('q', text)}${hiddenField('asOf', context.now.toISOString())}
          ${Object.entries(action.inputs).map(([input, asks]) => inputField(input, asks, fields))}`,
        reason: fields.get('reason'),
        submit: count > 0 && title,
        tone,
        cancel: searchLink(text),
      })}
    </div></div>`;
  return { title, tab: 'events', main, ...(problems && { status: 400 }) };
}

const nothingToDo = html`<div class="empty"><h2>Nothing to do</h2><p>No matching event has a status that this action applies to.</p></div>`;

async function preview(deps: ConsoleDeps, context: PageContext, { action, fields, problems }: Asked) {
  const { caller, now } = context;
  try {
    const body = { ...composeBody(action, fields, now), reason: 'preview', dryRun: true };
    const requested = action.read({ body, actor: caller.name, now });
    const result = await requestAction(deps, caller, requested);
    const events = await listEvents(deps.db, requested.action.filter, { ...firstPosition, max: maxShown });
    return { result, problems, events };
  } catch (error) {
    return { problems: problemsOf(error), events: [] };
  }
}

function composeBody({ inputs }: EventAction, fields: URLSearchParams, now: Date) {
  const asOf = fields.get('asOf') ?? undefined;
  const values = Object.entries(inputs).map(([name, { control }]) => {
    const text = fields.get(name) ?? inputs[name]?.initial;
    return [name, control === 'checkbox' ? text === 'on' : control === 'number' ? readNumber(text) : text];
  });
  return {
    filter: readPreviewedFilter({ text: fields.get('q') ?? '', asOf, now }),
    reason: fields.get('reason') ?? '',
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
  return textField({ name, label, value, isRequired: true, ...(hint && { hint }) });
}

function describeResult({ done }: EventAction, { changed, leased, remaining }: ActionOutcome): string {
  const sentences = [`${countOf(changed, 'event was', 'events were')} ${done}.`];
  if (leased > 0)
    sentences.push(`${countOf(leased, 'event being delivered was', 'events being delivered were')} skipped.`);
  if (remaining > 0)
    sentences.push(`Time ran out for ${countOf(remaining, 'event')}: repeat the action for the rest.`);
  return sentences.join(' ');
}
