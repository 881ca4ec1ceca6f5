import { formatNumber } from '../../../shared/count-of.ts';
import {
  type Overview,
  readCountedSince,
  readOverview,
  type Step,
  type TopGroup,
} from '../../../shared/counts/overview.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { listIncidents } from '../../../shared/groups/incidents.ts';
import { listOpenRuns } from '../../../shared/replay/list-runs.ts';
import { forecast } from '../../../shared/schedule/forecast.ts';
import { listTicks } from '../../../shared/schedule/ticks.ts';
import { readStates } from '../../../shared/targets/read-states.ts';
import { listTargetNames } from '../../../shared/targets/target-names.ts';
import { stat } from '../components/facts.ts';
import { flowSection } from '../components/flow-section.ts';
import { ago, formatAgo } from '../components/format.ts';
import { countColumns, groupCell, noveltyBadge } from '../components/group-cells.ts';
import { status } from '../components/marks.ts';
import { type Range, readRange } from '../components/range.ts';
import { section } from '../components/section.ts';
import { sparkline } from '../components/sparkline.ts';
import { table } from '../components/table.ts';
import { searchLink } from '../events/search.ts';
import { incidentLines } from '../groups/incident-section.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { refreshUnlessReplica } from '../refresh-unless-replica.ts';
import { firstSteps } from './first-steps.ts';
import { openRunSection, scheduleSection, targetSection } from './sidebar.ts';

const maxRuns = 5;

/** `GET /`: failures and their reasons, deliveries, targets and the schedule. */
export async function overview(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { query, now } = context;
  await refreshUnlessReplica(db);
  const countedSince = await readCountedSince(db);
  const range = readRange(query, now, countedSince);
  const [counts, targets, ticks, runs, next, incidents] = await Promise.all([
    readOverview(db, range),
    readStates(db, listTargetNames(routes)),
    listTicks(db, { before: maxBigint, limit: 6 }),
    listOpenRuns(db, { limit: maxRuns }),
    forecast(deps),
    listIncidents(deps, now),
  ]);
  const errors = topGroups(counts.groups, range, now);
  const main = html`<h1 class="visually-hidden">Overview</h1>
    <div id="live" data-live="10">
    ${countedSince === undefined && firstSteps(routes)}
    ${overviewStats(counts, range, now)}
    <div class="columns">
      <div>${flowSection('.', { range, steps: [...counts.stepsBefore, ...counts.steps] })}${incidentLines(incidents, context)}${section(`Errors in ${range.words}`, errors, html`<a href="groups">All errors</a>`)}</div>
      <div>${openRunSection(runs)}${targetSection(targets, now)}${scheduleSection(ticks, next, now)}</div>
    </div></div>`;
  return { title: 'Overview', tab: 'overview', main };
}

/** Open and failed events now, and failures and deliveries in the period compared with the preceding one. */
function overviewStats(counts: Overview, range: Range, now: Date): Html {
  const { depths, oldest, steps, stepsBefore } = counts;
  const open = (depths?.pending ?? 0) + (depths?.processing ?? 0);
  const failed = depths?.failedPermanently ?? 0;
  const age = oldest ? formatAgo(oldest.createdAt, now).replace(' ago', '') : '–';
  const inPeriod = (label: string, of: 'failures' | 'deliveries') =>
    stat(`${label} in ${range.words}`, sum(steps, of), {
      note: counts.isComparable ? compare(sum(steps, of), sum(stepsBefore, of)) : 'no comparison yet',
    });
  return html`<div class="stats">
    ${stat('Open', open, { href: searchLink('status:PENDING,PROCESSING'), note: open > 0 ? 'pending a retry' : 'none pending' })}
    ${stat('Oldest open', age, { href: oldest && `events/${oldest.id}`, note: oldest?.eventType ?? 'none' })}
    ${stat('Failed permanently', failed, { href: searchLink('status:FAILED_PERMANENTLY'), note: failed > 0 ? 'needs review' : 'none to review', isBad: failed > 0 })}
    ${inPeriod('Failed', 'failures')}${inPeriod('Delivered', 'deliveries')}
  </div>`;
}

function sum(steps: readonly Step[], of: 'failures' | 'deliveries'): number {
  return steps.reduce((total, step) => total + step[of], 0);
}

function compare(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'none before' : 'none in the period before';
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return 'as many as before';
  if (percent > 900) return `${Math.round(now / before)} times as many as before`;
  return `${formatNumber(Math.abs(percent))} % ${percent > 0 ? 'more' : 'fewer'} than before`;
}

const maxTypes = 3;

/** The error groups with the most failures in a period. */
function topGroups(groups: readonly TopGroup[], range: Range, now: Date): Html {
  if (groups.length === 0) return html`<p class="muted">Nothing failed in ${range.words}.</p>`;
  return table('groups', groups, [
    ['Error', '', (group) => groupCell(group, describe(group, range))],
    ['Trend', 'trend wide-only', (group) => showTrend(group, range)],
    ['Failed', 'num', ({ failures }) => html`<b>${formatNumber(failures)}</b>`],
    ...countColumns,
    ['Last seen', 'num wide-only', ({ lastSeenAt }) => lastSeenAt && ago(lastSeenAt, now)],
  ]);
}

function describe(group: TopGroup, range: Range): Content {
  const { state, eventTypes } = group;
  const novelty = noveltyBadge(judgeNovelty(group, range));
  return html`${state !== 'OPEN' && html`${status(state)} · `}${novelty}${listTypes(eventTypes)}`;
}

/** Whether a group is new in the period, or failed at least twice as often as in the period before, if it was known all of it. */
function judgeNovelty({ firstSeenAt, failures, failuresBefore }: TopGroup, { since, before }: Range) {
  if (!firstSeenAt || firstSeenAt >= since) return firstSeenAt && 'new';
  return firstSeenAt <= before && failures >= 10 && failures >= 2 * failuresBefore ? 'growing' : null;
}

/** A trend is sparse: steps without failures are omitted, and a step has one entry per event type. */
function showTrend({ trend, failures: total }: TopGroup, { steps, words }: Range): Html {
  const filled = new Array<number>(steps).fill(0);
  for (const [step, failures] of trend ?? []) filled[step] = (filled[step] ?? 0) + failures;
  return sparkline(filled, `${formatNumber(total)} in ${words}`);
}

function listTypes(types: readonly string[]): string {
  const more = types.length - maxTypes;
  return types.slice(0, maxTypes).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
