import { readCountedSince, sumSteps, sumUp } from '../../../shared/counts/sum-steps.ts';
import type { Route } from '../../../shared/delivery/routes.ts';
import { listIncidents } from '../../../shared/groups/incidents.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { stat } from '../components/facts.ts';
import { flowSection, hourRange, type Range, readRange } from '../components/flow-section.ts';
import { formatAgo, formatLeast } from '../components/format.ts';
import { columns, copyable, section } from '../components/section.ts';
import { searchLink } from '../events/search.ts';
import { incidentLines } from '../groups/incident-section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { stopNotice } from '../targets/stop-section.ts';
import { listProblems, problemSection } from './problems.ts';
import { type Progress, readProgress } from './read-progress.ts';
import { openRunSection, scheduleSection, targetSection } from './sidebar.ts';
import { readTopGroups, topErrors } from './top-errors.ts';

/** `GET /`: what needs a person, failures and their reasons, deliveries, targets and the schedule. */
export async function overview(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db, routes } = deps;
  const { query, now } = context;
  await refreshUnlessReplica(db);
  const countedSince = await readCountedSince(db);
  const range = readRange(query, now, countedSince);
  // Deliveries and errors are counted by hour.
  const hours = hourRange(range);
  const readFlow = async (of: Range) => ({ range: of, ...(await sumSteps(db, of)) });
  const [progress, groups, failed, delivered, incidents, stopped] = await Promise.all([
    readProgress(deps, now),
    readTopGroups(db, hours, now),
    readFlow(range),
    hours === range ? undefined : readFlow(hours),
    listIncidents(deps, now),
    stopNotice(db, context),
  ]);
  const { targets, ticks, runs, forecast, depths } = progress;
  const problems = countedSince && problemSection(listProblems(progress, deps.failingHours), depths.open);
  const content = html`${flowSection('.', failed)}${incidentLines(incidents, context)}${topErrors(groups, hours)}`;
  const side = html`${runs.length > 0 && openRunSection(runs)}${targetSection(targets)}${scheduleSection(ticks, forecast)}`;
  const main = html`<h1 class="visually-hidden">Overview</h1>
    <div id="live" data-live="10">
    ${stopped}${problems ?? firstSteps(routes)}
    <div class="stats">${depthStats(depths)}${flowStat('Failed', 'failures', failed)}${flowStat('Delivered', 'deliveries', delivered ?? failed)}</div>
    ${columns(content, side)}</div>`;
  return { title: 'Overview', tab: 'overview', main };
}

function depthStats({ open, failed, oldest }: Progress['depths']): Html {
  const age = oldest ? formatAgo(oldest.createdAt).replace(' ago', '') : '–';
  const openNote = open > 0 ? 'pending a retry' : 'none pending';
  const failedNote = failed > 0 ? 'needs review' : 'none to review';
  const toFailed = { href: searchLink('status:FAILED_PERMANENTLY'), note: failedNote };
  return html`${stat('Open', open, { href: searchLink('status:PENDING,PROCESSING'), note: openNote })}
    ${stat('Oldest open', age, { href: oldest && `events/${oldest.id}`, note: oldest?.eventType ?? 'none' })}
    ${stat('Failed permanently', failed, { ...toFailed, tone: failed > 0 && 'bad' })}`;
}

type Flow = Awaited<ReturnType<typeof sumSteps>> & { readonly range: Range };

/** Failures or deliveries of a period. */
function flowStat(label: string, of: 'failures' | 'deliveries', { range, steps, isExact }: Flow): Html {
  return stat(`${label} ${range.phrase}`, formatLeast(sumUp(steps, of), isExact));
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
