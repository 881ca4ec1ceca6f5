import { formatNumber } from '../../../shared/count-of.ts';
import { sumDepths } from '../../../shared/counts/depths.ts';
import {
  listTopGroups,
  readCountedSince,
  type Step,
  sumSteps,
  sumUp,
} from '../../../shared/counts/sum-steps.ts';
import type { Database } from '../../../shared/database/database.ts';
import type { Route } from '../../../shared/delivery/routes.ts';
import { findOldestOpenEvent } from '../../../shared/events/event.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { type Group, readGroups } from '../../../shared/groups/error-groups.ts';
import { listIncidents } from '../../../shared/groups/incidents.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { listOpenRuns } from '../../../shared/replay/list-runs.ts';
import { forecast } from '../../../shared/schedule/forecast.ts';
import { listTicks } from '../../../shared/schedule/ticks.ts';
import { readStates } from '../../../shared/targets/read-states.ts';
import { listKnownTargets } from '../../../shared/targets/target-names.ts';
import { stat } from '../components/facts.ts';
import { flowSection } from '../components/flow-section.ts';
import { ago, formatAgo } from '../components/format.ts';
import { countColumns, groupCell, noveltyBadge } from '../components/group-cells.ts';
import { status } from '../components/marks.ts';
import { hourRange, type Range, readRange } from '../components/range.ts';
import { section } from '../components/section.ts';
import { sparkline } from '../components/sparkline.ts';
import { table } from '../components/table.ts';
import { searchLink } from '../events/search.ts';
import { incidentLines } from '../groups/incident-section.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { reviewSection } from '../targets/cause-section.ts';
import { stopNotice } from '../targets/stop-section.ts';
import { openRunSection, scheduleSection, targetSection } from './sidebar.ts';

const maxRuns = 5;
const maxGroups = 10;

/** `GET /`: failures and their reasons, deliveries, targets and the schedule. */
export async function overview(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { query, now } = context;
  await refreshUnlessReplica(db);
  const countedSince = await readCountedSince(db);
  const range = readRange(query, now, countedSince);
  // Deliveries and errors are counted by hour.
  const hours = hourRange(range);
  const [depths, flow, groups, targets, ticks, runs, next, incidents] = await Promise.all([
    readDepths(db),
    readFlow(db, range, hours),
    readTopGroups(db, hours, now),
    listKnownTargets(db, routes).then((names) => readStates(db, names)),
    listTicks(db, { before: maxBigint, limit: 6 }),
    listOpenRuns(deps, { limit: maxRuns }),
    forecast(deps),
    listIncidents(deps, now),
  ]);
  const errors = section(
    `Errors ${hours.phrase}`,
    topGroups(groups, hours, now),
    html`<a href="groups">All errors</a>`,
  );
  const main = html`<h1 class="visually-hidden">Overview</h1>
    <div id="live" data-live="10">
    ${await stopNotice(db, context)}${countedSince === undefined && firstSteps(routes)}
    <div class="stats">${depthStats(depths, now)}${flowStats(flow, countedSince)}</div>
    <div class="columns">
      <div>${flowSection('.', flow.failed)}${reviewSection(next.items, now)}${incidentLines(incidents, context)}${errors}</div>
      <div>${openRunSection(runs)}${targetSection(targets, now)}${scheduleSection(ticks, next, now)}</div>
    </div></div>`;
  return { title: 'Overview', tab: 'overview', main };
}

/** The events that are open or failed permanently now, and the oldest open one. */
async function readDepths(db: Database) {
  const [[depths], [oldest]] = await Promise.all([sumDepths(db, {}), findOldestOpenEvent(db, {})]);
  return { depths, oldest };
}

/** The failures of a period, and the deliveries of `hours`, which may be the same. */
async function readFlow(db: Database, range: Range, hours: Range) {
  const read = async (of: Range) => ({ range: of, ...(await sumSteps(db, of)) });
  const [failed, delivered] = await Promise.all([read(range), range === hours ? undefined : read(hours)]);
  return { failed, delivered: delivered ?? failed };
}

/** The error groups with most failures in a period. */
async function readTopGroups(db: Database, range: Range, now: Date): Promise<TopGroup[]> {
  const top = await listTopGroups(db, range, maxGroups);
  const steps = new Map(top.map((group) => [group.fingerprint, group.steps]));
  const groups = await readGroups(db, [...steps.keys()], now);
  return groups.map((group) => ({ ...group, steps: steps.get(group.fingerprint) ?? [] }));
}

function depthStats({ depths, oldest }: Awaited<ReturnType<typeof readDepths>>, now: Date): Html {
  const open = (depths?.pending ?? 0) + (depths?.processing ?? 0);
  const failed = depths?.failedPermanently ?? 0;
  const age = oldest ? formatAgo(oldest.createdAt, now).replace(' ago', '') : '–';
  const openNote = open > 0 ? 'pending a retry' : 'none pending';
  const failedNote = failed > 0 ? 'needs review' : 'none to review';
  const toFailed = { href: searchLink('status:FAILED_PERMANENTLY'), note: failedNote, isBad: failed > 0 };
  return html`${stat('Open', open, { href: searchLink('status:PENDING,PROCESSING'), note: openNote })}
    ${stat('Oldest open', age, { href: oldest && `events/${oldest.id}`, note: oldest?.eventType ?? 'none' })}
    ${stat('Failed permanently', failed, toFailed)}`;
}

/** Failures and deliveries in a period, compared with the one before if that was counted from its start. */
function flowStats(
  { failed, delivered }: Awaited<ReturnType<typeof readFlow>>,
  countedSince: Date | undefined,
): Html {
  const inPeriod = (label: string, of: 'failures' | 'deliveries', flow: typeof failed) => {
    const { range, steps, isExact } = flow;
    const now = sumUp(
      steps.filter(({ step }) => step >= 0),
      of,
    );
    const isComparable = flow.isComparable && countedSince !== undefined && countedSince <= range.before;
    const value = `${isExact ? '' : 'more than '}${formatNumber(now)}`;
    const note = isComparable ? compare(now, sumUp(steps, of) - now) : 'no comparison yet';
    return stat(`${label} ${range.phrase}`, value, { note });
  };
  return html`${inPeriod('Failed', 'failures', failed)}${inPeriod('Delivered', 'deliveries', delivered)}`;
}

function compare(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'none before' : 'none in the period before';
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return 'as many as before';
  if (percent > 900) return `${Math.round(now / before)} times as many as before`;
  return `${formatNumber(Math.abs(percent))} % ${percent > 0 ? 'more' : 'fewer'} than before`;
}

/** An error group with its failures in a period. */
type TopGroup = Group & { readonly steps: readonly Step[] };

const maxTypes = 3;

/** The error groups with the most failures in a period. */
function topGroups(groups: readonly TopGroup[], range: Range, now: Date): Html {
  if (groups.length === 0) return html`<p class="muted">Nothing failed ${range.phrase}.</p>`;
  return table('groups', groups, [
    ['Error', '', (group) => groupCell(group, describe(group))],
    ['Trend', 'trend wide-only', (group) => showTrend(group, range)],
    ['Failed', 'num', ({ steps }) => html`<b>${formatNumber(sumUp(steps, 'failures'))}</b>`],
    ...countColumns,
    ['Last seen', 'num wide-only', ({ lastSeenAt }) => ago(lastSeenAt, now)],
  ]);
}

function describe({ state, novelty, eventTypes }: TopGroup): Content {
  // The state of a regressed group says so already.
  const badge = noveltyBadge(state === 'REGRESSED' ? null : novelty);
  return html`${state !== 'OPEN' && html`${status(state)} · `}${badge}${listTypes(eventTypes)}`;
}

/** The failures of a period by its steps, which are sparse, or of the last day: a few hours show no trend. */
function showTrend({ steps, trend, failuresIn24Hours }: TopGroup, range: Range): Html {
  if (range.steps < 24) return sparkline(trend, `${formatNumber(failuresIn24Hours)} in 24 hours`);
  const filled = new Array<number>(range.steps).fill(0);
  for (const { step, failures } of steps) filled[step] = failures;
  return sparkline(filled, `${formatNumber(sumUp(steps, 'failures'))} ${range.phrase}`);
}

function listTypes(types: readonly string[]): string {
  const more = types.length - maxTypes;
  return types.slice(0, maxTypes).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Shown until the first event is captured; the overview replaces it by itself. */
function firstSteps(routes: readonly Route[]): Html {
  const routed =
    routes.length > 0
      ? html`${routes.length} in use: see <a href="targets">Targets</a>.`
      : html`Set <code>ROUTES</code>: without a route, events wait, and an operator replays them to a target.`;
  return section(
    'First steps',
    html`<ol class="first-steps">
      <li><b>Report a failure</b>, from a consumer or by hand. On Google Cloud, <code>CAPTURE_URL</code> is the
        URL of capture in the output <code>urls</code>, and the request needs an identity token (docs/capture.md).
        <pre class="code" id="first-report">${report}</pre>
        <button type="button" data-copy="first-report" hidden>Copy</button></li>
      <li><b>Connect what fails already</b>: dead-letter topics of Pub/Sub and Kafka, RabbitMQ, job queues (docs/capture.md,
        docs/bring-over.md).</li>
      <li><b>Say where retries go.</b> ${routed} docs/targets.md has every field.</li>
    </ol>
    <p class="muted" role="status">Waiting for the first event …</p>`,
  );
}

const report = `CAPTURE_URL=\${CAPTURE_URL:-http://localhost:8080/capture}
curl "$CAPTURE_URL" -H 'content-type: application/json' -d '{
  "eventType": "order.created", "eventId": "first-failure",
  "payload": {"orderId": 4711},
  "error": {"class": "PaymentDown", "message": "503 from payments"}
}'`;
