import { type FoundGroup, findGroup, listGroupActs } from '../../../shared/error-groups.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { listEvents } from '../../../shared/event-pages.ts';
import { firstPosition } from '../../../shared/latest-first.ts';
import { statement } from '../../../shared/sql.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { eventTable } from '../events/event-table.ts';
import { type EventView, readEvent } from '../events/read-event.ts';
import { searchLink } from '../events/search.ts';
import { stackTrace } from '../events/stack-trace.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { flowChart, type Step } from '../parts/chart.ts';
import { groupState } from '../parts/group-state.ts';
import { icon } from '../parts/icon.ts';
import { countOf, formatNumber } from '../parts/number.ts';
import { rangeSwitch, readRange } from '../parts/range.ts';
import { ago } from '../parts/time.ts';
import { bringUpToDate } from '../parts/up-to-date.ts';
import type { Visit } from '../visit.ts';
import { groupForm } from './group-form.ts';
import { groupHistory } from './group-history.ts';

const sumGroupHours = statement<{ fingerprint: string; since: Date; until: Date; hours: number }, Step>(
  'sum-group-hours',
);

const mostEvents = 10;

/** `GET /groups/:fingerprint?range=`: one reason for which events failed. Throws a NotFoundError. */
export async function groupPage({ db }: ConsoleDeps, visit: Visit): Promise<Page> {
  const { now } = visit;
  const fingerprint = visit.params.fingerprint ?? '';
  await bringUpToDate(db);
  const [group] = await findGroup(db, { fingerprint, until: now });
  if (!group) throw new NotFoundError(`There is no error group ${fingerprint.slice(0, 80)}`);
  const range = readRange(visit.query, now);
  const { since, until, hours } = range;
  const [steps, events, acts] = await Promise.all([
    sumGroupHours(db, { fingerprint, since, until, hours }),
    listEvents(db, { fingerprint: [fingerprint] }, { ...firstPosition, most: mostEvents }),
    listGroupActs(db, { fingerprint }),
  ]);
  const sample = await readSample(db, group.sample_event_id);
  const text = `fingerprint:${fingerprint}`;
  const main = html`<div class="head"><p class="crumb"><a href="groups">Errors</a> / ${fingerprint}</p>
      <h1>${group.title ?? 'A failure that has just been seen'}</h1>${groupState(group.state)}
      ${
        visit.caller.isOperator &&
        html`<div class="acts">
        <a class="button primary" href="runs/new?${String(new URLSearchParams({ q: `${text} status:PENDING,FAILED_PERMANENTLY` }))}">${icon('replay')}Replay…</a>
        <a class="button" href="events/discard?${String(new URLSearchParams({ q: text }))}">Discard…</a></div>`
      }</div>
    ${group.note && html`<p class="notice wrap">${group.note}</p>`}
    ${groupFigures(group, text, now)}
    <div class="columns"><div>
      <section aria-labelledby="flow"><div class="section-head"><h2 id="flow">Failed <i class="swatch in"></i> and delivered <i class="swatch out"></i></h2>
        ${rangeSwitch(`groups/${encodeURIComponent(fingerprint)}`, range)}</div>${flowChart(range, steps)}</section>
      ${sample && sampleSection(sample, now)}
      <section aria-labelledby="events"><div class="section-head"><h2 id="events">Latest events</h2><a href="${searchLink(text)}">All of them</a></div>
        ${eventTable(events, { now, isNarrow: true })}</section>
      </div><div>
      ${visit.caller.isOperator && groupForm(group, visit)}
      ${affected(group)}
      ${groupHistory(acts)}
    </div></div>`;
  return { title: group.title ?? fingerprint, tab: 'groups', main };
}

/** The latest event, unless it is kept nowhere any more. */
async function readSample(db: ConsoleDeps['db'], id: string | null): Promise<EventView | undefined> {
  try {
    return id === null ? undefined : await readEvent(db, id, 0);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function sampleSection(event: EventView, now: Date): Html {
  const { id, error_class: name, error_reason: reason, error_stacktrace: trace } = event;
  return html`<section aria-labelledby="sample"><div class="section-head"><h2 id="sample">A sample</h2>
      <span class="muted small"><a href="events/${id}">event ${id}</a>, ${ago(event.created_at, now)}</span></div>
    <p class="reason wrap">${name && html`<strong>${name}</strong> `}${reason}</p>${trace && stackTrace(trace)}</section>`;
}

function groupFigures(group: FoundGroup, text: string, now: Date): Html {
  const sum = (of: 'open' | 'failed_permanently') =>
    group.event_types.reduce((total, type) => total + type[of], 0);
  return html`<div class="figures">
    <a class="figure" href="${searchLink(`${text} status:PENDING,PROCESSING`)}"><span class="muted small">Open</span><span class="value">${formatNumber(sum('open'))}</span><span class="muted small">waiting for a retry</span></a>
    <a class="figure" href="${searchLink(`${text} status:FAILED_PERMANENTLY`)}"><span class="muted small">Given up</span><span class="value">${formatNumber(sum('failed_permanently'))}</span><span class="muted small">waiting for people</span></a>
    <div class="figure"><span class="muted small">Failed</span><span class="value">${formatNumber(group.failures)}</span><span class="muted small">times, ever</span></div>
    <div class="figure"><span class="muted small">First seen</span><span class="value">${ago(group.first_seen_at, now)}</span></div>
    <div class="figure"><span class="muted small">Last seen</span><span class="value">${ago(group.last_seen_at, now)}</span></div>
  </div>`;
}

function affected({ event_types: types, consumers }: FoundGroup): Html {
  return html`<section aria-labelledby="affected"><h2 id="affected">Affected</h2><ul class="lines">
    ${types.map((type) => html`<li><span class="wrap">${type.event_type}</span><span>${countOf(type.open + type.failed_permanently, 'event')}</span></li>`)}
    ${consumers.map(({ name, events }) => html`<li><span class="wrap">${name}</span><span class="muted">${formatNumber(events)} of the latest</span></li>`)}
  </ul></section>`;
}
