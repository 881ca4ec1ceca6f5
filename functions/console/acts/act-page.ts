import { InputError, type Problem } from '../../../shared/errors.ts';
import { type EventSummary, listEvents } from '../../../shared/event-pages.ts';
import { firstPosition } from '../../../shared/latest-first.ts';
import { narrowStatus } from '../../replay/acts/read-act.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { listProblems } from '../error-page.ts';
import { eventTable } from '../events/event-table.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { countOf } from '../parts/number.ts';
import { postForm } from '../parts/post-form.ts';
import { readSeenFilter } from '../parts/seen-filter.ts';
import type { Act, ShowPage } from '../serve-page.ts';
import type { Visit } from '../visit.ts';
import { type ActName, type ActResult, acts, callAct } from './acts.ts';

const mostShown = 10;

/** `GET /events/discard?q=` and the like: what the act would come to. Changes nothing. */
export function actPage(name: ActName): ShowPage {
  return (deps, visit) => preview(deps, visit, { name, fields: visit.query });
}

/** `POST /events/discard {q, asOf, reason, ...}`: does it, and tells what came of it. */
export function actByForm(name: ActName): Act {
  return async (deps, visit) => {
    const { form: fields, now } = visit;
    try {
      const result = await callAct(deps, visit, { name, body: composeBody(name, fields, now) });
      return { to: searchLink(fields.get('q') ?? ''), notice: describeResult(name, result) };
    } catch (error) {
      if (error instanceof InputError)
        return preview(deps, visit, { name, fields, problems: error.problems });
      throw error;
    }
  };
}

type Asked = {
  readonly name: ActName;
  readonly fields: URLSearchParams;
  readonly problems?: readonly Problem[];
};

async function preview(deps: ConsoleDeps, visit: Visit, asked: Asked): Promise<Page> {
  const { name, fields } = asked;
  const { verb, meaning, tone } = acts[name];
  const text = fields.get('q') ?? '';
  const { result, events, problems } = await lookAhead(deps, visit, asked);
  const count = result?.remaining ?? 0;
  const title = result ? `${verb} ${countOf(count, 'event')}` : verb;
  const main = html`<div class="head"><p class="crumb"><a href="${searchLink(text)}">Events</a> / ${text || 'all'}</p><h1>${title}</h1></div>
    ${problems && listProblems(problems)}
    <div class="columns"><div>
      ${result && count === 0 && html`<div class="empty"><h2>There is nothing to do</h2><p>None of these events is in a state in which this can be done to it.</p></div>`}
      ${events.length > 0 && html`<section aria-labelledby="matching"><h2 id="matching">The latest that match</h2>${eventTable(events, { now: visit.now, isNarrow: true })}</section>`}
    </div><div>
      <p>${meaning}</p>
      ${result && result.leased > 0 && html`<p class="warning">${countOf(result.leased, 'event')} that are being delivered right now will be left alone.</p>`}
      ${postForm(visit, {
        action: `events/${name}`,
        className: 'side-form',
        content: html`<input type="hidden" name="q" value="${text}"><input type="hidden" name="asOf" value="${visit.now.toISOString()}">
          ${extraFields(name, fields)}
          <label class="field"><span>Why</span><input type="text" name="reason" required maxlength="1000" value="${fields.get('reason')}" autocomplete="off">
          <span class="hint">The audit keeps it.</span></label>
          ${count > 0 && html`<div class="acts"><button class="${tone}">${title}</button><a class="button" href="${searchLink(text)}">Back</a></div>`}`,
      })}
    </div></div>`;
  return { title, tab: 'events', main, ...(problems && { status: 400 }) };
}

type Outlook = {
  readonly result?: ActResult;
  readonly events: readonly EventSummary[];
  readonly problems?: readonly Problem[];
};

async function lookAhead(
  deps: ConsoleDeps,
  visit: Visit,
  { name, fields, problems }: Asked,
): Promise<Outlook> {
  try {
    // So that a preview has what the act itself asks for.
    const body = { ...composeBody(name, fields, visit.now), reason: 'preview', dryRun: true };
    const result = await callAct(deps, visit, {
      name,
      body: { ...body, ...(name === 'reprioritise' && { priority: readPriority(fields) ?? 1 }) },
    });
    const events = await listEvents(deps.db, narrowStatus(body.filter, acts[name].statuses), {
      ...firstPosition,
      most: mostShown,
    });
    return { result, events, ...(problems && { problems }) };
  } catch (error) {
    if (error instanceof InputError) return { events: [], problems: error.problems };
    throw error;
  }
}

function composeBody(name: ActName, fields: URLSearchParams, now: Date) {
  const filter = readSeenFilter({ text: fields.get('q') ?? '', asOf: fields.get('asOf') ?? undefined, now });
  return {
    filter,
    reason: fields.get('reason') ?? '',
    ...(name === 'reprioritise' && { priority: readPriority(fields) }),
    ...(name === 'reopen' && { includeSucceeded: fields.get('includeSucceeded') === 'on' }),
  };
}

/** What is no number stays text, so that the check says what is wrong with it. */
function readPriority(fields: URLSearchParams): number | string | undefined {
  const text = fields.get('priority')?.trim();
  return text === undefined || text === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

function extraFields(name: ActName, fields: URLSearchParams): Html | false {
  if (name === 'reprioritise') {
    return html`<label class="field"><span>Priority</span><input type="number" name="priority" min="-32768" max="32767" required value="${fields.get('priority') ?? '-1'}"></label>`;
  }
  return (
    name === 'reopen' &&
    html`<label><input type="checkbox" name="includeSucceeded" value="on"${fields.get('includeSucceeded') === 'on' && html` checked`}> Also those that were delivered: they will be once more</label>`
  );
}

function describeResult(name: ActName, { changed, leased, remaining }: ActResult): string {
  const words = [`${countOf(changed, 'event')} ${changed === 1 ? 'is' : 'are'} ${acts[name].done}.`];
  if (leased > 0)
    words.push(
      `${countOf(leased, 'event')} being delivered right now ${leased === 1 ? 'was' : 'were'} left alone.`,
    );
  if (remaining > 0)
    words.push(`${countOf(remaining, 'event')} could not be reached in time: do the same again for these.`);
  return words.join(' ');
}
