import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { Period } from '../../../shared/counts/periods.ts';
import {
  listTopGroups,
  readCountedSince,
  type Step,
  sumSteps,
  sumUp,
} from '../../../shared/counts/sum-steps.ts';
import type { Database } from '../../../shared/database/database.ts';
import type { TargetState } from '../../../shared/delivery/read-states.ts';
import type { Route } from '../../../shared/delivery/routes.ts';
import { type Group, readGroups } from '../../../shared/groups/error-groups.ts';
import { listIncidents } from '../../../shared/groups/incidents.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import type { ListedRun } from '../../../shared/replay/run.ts';
import { flowSection, hourRange, type Range, readRange } from '../components/chart.ts';
import { groupColumns, isFinished } from '../components/error-name.ts';
import { formatAgo } from '../components/format.ts';
import { mark, runState } from '../components/marks.ts';
import {
  collapsible,
  columns,
  copyable,
  countList,
  leftStats,
  section,
  stat,
} from '../components/section.ts';
import { table } from '../components/table.ts';
import { linkTarget } from '../components/target-state.ts';
import { incidentSection } from '../groups/triage.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { runProgress } from '../runs/run-facts.ts';
import { scheduleLines } from '../runs/schedule.ts';
import { stopNotice } from '../targets/targets-page.ts';
import { problemSection } from './problem-list.ts';
import { findProblems, type Progress, readProgress } from './problems.ts';

/** `GET /`: what needs a person, failures and their reasons, deliveries, targets and the schedule. */
export async function overview(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { query, now } = context;
  await refreshUnlessReplica(db);
  const countedSince = await readCountedSince(db);
  const range = readRange(query, now, countedSince);
  // Errors are counted by hour.
  const hours = hourRange(range);
  const [progress, groups, flow, incidents, stopped] = await Promise.all([
    readProgress(deps, now),
    readTopGroups(db, hours, now),
    sumSteps(db, range),
    listIncidents(deps, now),
    stopNotice(db, context),
  ]);
  const { targets, ticks, runs, forecast, depths } = progress;
  const problems = countedSince && problemSection(findProblems(progress, deps.failingHours), depths.open);
  const content = html`${flowSection('.', { range, ...flow })}${incidentSection(incidents, context, true)}${topErrors(groups, hours)}`;
  const side = html`${runs.length > 0 && openRunSection(runs)}${targetSection(targets)}${section('Schedule', scheduleLines(ticks, forecast), html`<a href="runs#what-happens-next">What happens next</a>`)}`;
  const main = html`<h1 class="visually-hidden">Overview</h1>
    <div id="live" data-live="10">
    ${stopped}${problems ?? firstSteps(routes)}
    <div class="stats">${depthStats(depths)}</div>
    ${columns(content, side)}</div>`;
  return { title: 'Overview', main };
}

function depthStats({ open, failed, oldest }: Progress['depths']): Html {
  const age = oldest ? formatAgo(oldest.createdAt).replace(' ago', '') : '–';
  const note = oldest?.eventType ?? 'none';
  return html`${leftStats(open, failed)}${stat('Oldest open', age, { href: oldest && `events/${oldest.id}`, note })}`;
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
        URL of capture in the output <code>urls</code>, and the request needs an identity token (docs/send.md).
        ${copyable('first-report', report)}</li>
      <li><b>Connect what fails already</b>: dead-letter topics of Pub/Sub and Kafka, RabbitMQ, job queues (docs/send.md,
        docs/bring-over.md).</li>
      <li><b>Say where retries go.</b> ${routed} docs/policies.md has every field.</li>
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

function openRunSection(runs: readonly ListedRun[]): Html {
  const lines = runs.map((run) => {
    const name = html`<a class="title truncate" href="runs/${run.id}">${run.reason ?? `Replay ${run.id}`}</a>`;
    return html`<li>${name}${runState(run)}<div class="more">${runProgress(run)}</div></li>`;
  });
  return section('Open replays', html`<ul class="list">${lines}</ul>`, html`<a href="runs">All runs</a>`);
}

function targetSection(targets: readonly TargetState[]): Html {
  const lines = targets.slice(0, maxTargets).map((each) => {
    return [linkTarget(each.target, 'title plain-title'), mark(each.state)] as const;
  });
  const none = html`<p class="muted">No route is configured: events stay pending until one matches.</p>`;
  const list = lines.length === 0 ? none : countList(lines);
  return section('Targets', list, html`<a href="targets">All targets</a>`);
}

const maxTargets = 10;
/** Of the errors of a period those with most failures. */
export const maxGroups = 20;

/** An error group with its failures in a period. */
export type TopGroup = Group & { readonly steps: readonly Step[] };

/** The error groups with most failures in a period. */
export async function readTopGroups(db: Database, range: Period, now: Date): Promise<TopGroup[]> {
  const top = await listTopGroups(db, range, maxGroups);
  const steps = new Map(top.map((group) => [group.fingerprint, group.steps]));
  const groups = await readGroups(db, { fingerprints: [...steps.keys()], until: now });
  return groups.map((group) => ({ ...group, steps: steps.get(group.fingerprint) ?? [] }));
}

/** The error groups of a period, those that need a person first; those that are finished are folded. */
function topErrors(groups: readonly TopGroup[], range: Range): Html {
  const [finished, unfinished] = [groups.filter(isFinished), groups.filter((group) => !isFinished(group))];
  const sorted = unfinished.toSorted((a, b) => b.failedPermanently - a.failedPermanently || b.open - a.open);
  const none =
    groups.length === 0
      ? html`Nothing failed ${range.phrase}, muted errors aside.`
      : html`Every error ${range.phrase} is finished.`;
  const list = sorted.length > 0 ? listErrors(sorted) : html`<p class="muted">${none}</p>`;
  const words = `${countOf(finished.length, 'finished error')}: no event is left`;
  const folded = finished.length > 0 && collapsible(words, listErrors(finished));
  const aside = html`<span class="muted small">${range.phrase}</span><a href="groups">All errors</a>`;
  return section('Errors', html`${list}${folded}`, aside);
}

function listErrors(groups: readonly TopGroup[]): Html {
  const failed = ({ steps }: TopGroup) => formatNumber(sumUp(steps, 'failures'));
  return table('groups', groups, groupColumns<TopGroup>(['Failures', 'num wide-only', failed]));
}
