import { countOf } from '../../../shared/count-of.ts';
import type { Problem } from '../../../shared/errors.ts';
import { narrowStatus } from '../../../shared/events/actions/read-action.ts';
import type { ActionOutcome } from '../../../shared/events/actions/run-action.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { parseFilterText } from '../../../shared/events/filter/parse-filter-text.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { listEvents } from '../../../shared/events/list-events.ts';
import { checkbox, hiddenField, postForm, readNumber, textField } from '../components/form.ts';
import { pageHead, section } from '../components/section.ts';
import { listProblems, problemsOf } from '../error-page.ts';
import { eventTable } from '../events/event-table.ts';
import { readPreviewedFilter } from '../events/previewed-filter.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import type { Answer, ConsoleDeps, Page, PageContext } from '../page.ts';
import { type ActionName, actions, requestAction } from './actions.ts';

const maxShown = 10;

/** `GET /events/discard?q=` and so on: previews an action. Changes nothing. */
export function actionPage(name: ActionName): Answer {
  return (deps, context) => previewPage(deps, context, { name, fields: context.query });
}

/**
 * `POST /events/discard {q, asOf, reason, ...}`: runs an action and redirects to the events, with its result.
 */
export function runActionByForm(name: ActionName): Answer {
  return async (deps, context) => {
    const { form: fields, now } = context;
    try {
      const result = await requestAction(deps, context, { name, body: composeBody(name, fields, now) });
      const undo = result.auditId !== undefined && { undo: `activity/${result.auditId}/undo` };
      return { to: showChanged(name, fields.get('q') ?? ''), notice: describeResult(name, result), ...undo };
    } catch (error) {
      return previewPage(deps, context, { name, fields, problems: problemsOf(error) });
    }
  };
}

/** The list of the events in the status that an action gave them. */
function showChanged(name: ActionName, text: string): string {
  const { becomes } = actions[name];
  const parsed = parseFilterText(text);
  if (becomes === undefined || !parsed.ok) return searchLink(text);
  return searchLink(printFilterText({ ...parsed.value, status: [becomes] }));
}

type ActionInput = {
  readonly name: ActionName;
  readonly fields: URLSearchParams;
  readonly problems?: readonly Problem[] | undefined;
};

async function previewPage(deps: ConsoleDeps, context: PageContext, input: ActionInput): Promise<Page> {
  const { name, fields } = input;
  const { verb, effect, tone } = actions[name];
  const text = fields.get('q') ?? '';
  const { result, events, problems } = await preview(deps, context, input);
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
      ${postForm(context, {
        action: `events/${name}`,
        className: 'side-form',
        content: html`${hiddenField('q', text)}${hiddenField('asOf', context.now.toISOString())}
          ${extraFields(name, fields)}
          ${textField({ name: 'reason', label: 'Reason', value: fields.get('reason'), isRequired: true, maxLength: 1000, hint: 'Recorded in the audit log.' })}
          ${count > 0 && html`<div class="actions"><button class="${tone}">${title}</button><a class="button" href="${searchLink(text)}">Cancel</a></div>`}`,
      })}
    </div></div>`;
  return { title, tab: 'events', main, ...(problems && { status: 400 }) };
}

const nothingToDo = html`<div class="empty"><h2>Nothing to do</h2><p>No matching event has a status that this action applies to.</p></div>`;

async function preview(deps: ConsoleDeps, context: PageContext, { name, fields, problems }: ActionInput) {
  try {
    // A dry run needs the fields that the action requires, before the operator has filled them in.
    const body = { ...composeBody(name, fields, context.now), reason: 'preview', dryRun: true };
    const priority = name === 'reprioritize' && { priority: readNumber(fields.get('priority')) ?? 1 };
    const result = await requestAction(deps, context, { name, body: { ...body, ...priority } });
    const filter = narrowStatus(body.filter, actions[name].statuses);
    return {
      result,
      problems,
      events: await listEvents(deps.db, filter, { ...firstPosition, max: maxShown }),
    };
  } catch (error) {
    return { problems: problemsOf(error), events: [] };
  }
}

function composeBody(name: ActionName, fields: URLSearchParams, now: Date) {
  const asOf = fields.get('asOf') ?? undefined;
  return {
    filter: readPreviewedFilter({ text: fields.get('q') ?? '', asOf, now }),
    reason: fields.get('reason') ?? '',
    ...(name === 'reprioritize' && { priority: readNumber(fields.get('priority')) }),
    ...(name === 'reopen' && { includeSucceeded: fields.get('includeSucceeded') === 'on' }),
  };
}

function extraFields(name: ActionName, fields: URLSearchParams): Html | false {
  if (name === 'reprioritize') {
    return html`<label class="field"><span>Priority</span><input type="number" name="priority" min="-32768" max="32767" required value="${fields.get('priority') ?? '-1'}"></label>`;
  }
  const isIncluded = fields.get('includeSucceeded') === 'on';
  return (
    name === 'reopen' &&
    checkbox('includeSucceeded', 'Include delivered events: deliver them again', isIncluded)
  );
}

function describeResult(name: ActionName, { changed, leased, remaining }: ActionOutcome): string {
  const sentences = [`${countOf(changed, 'event was', 'events were')} ${actions[name].done}.`];
  if (leased > 0)
    sentences.push(`${countOf(leased, 'event being delivered was', 'events being delivered were')} skipped.`);
  if (remaining > 0)
    sentences.push(`Time ran out for ${countOf(remaining, 'event')}: repeat the action for the rest.`);
  return sentences.join(' ');
}
