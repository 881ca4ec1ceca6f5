import { printFilterText } from '../../../shared/filter/print-filter-text.ts';
import { largestId } from '../../../shared/largest-id.ts';
import { listRuns } from '../../replay/runs/list-runs.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { describeTick, listBusyTicks, type Tick } from '../parts/ticks.ts';
import { ago, formatDuration } from '../parts/time.ts';
import type { Visit } from '../visit.ts';
import { describeProgress, progressBar } from './progress.ts';
import { type DescribedRun, runState } from './run-state.ts';

const pageSize = 25;

/** `GET /runs?before=`: the replays, those under way first, and the ticks of the schedule that had something to do. */
export async function runsPage({ db }: ConsoleDeps, visit: Visit): Promise<Page> {
  const before = /^\d{1,18}$/.exec(visit.query.get('before') ?? '')?.[0] ?? largestId;
  const [replays, ticks] = await Promise.all([
    listRuns(db, { before, limit: pageSize + 1 }),
    listBusyTicks(db, { limit: 10 }),
  ]);
  const runs = replays.slice(0, pageSize);
  const isMoving = runs.some(({ state }) => state !== 'ended');
  const main = html`<div class="head"><h1>Runs</h1></div>
    <div id="live"${isMoving && html` data-live="2"`}>
    <section aria-labelledby="replays"><h2 id="replays">Replays</h2>
      ${runs.length === 0 ? noReplays : runTable(runs, visit.now)}
      <nav class="pager" aria-label="Pages of replays">
        ${before !== largestId && html`<a href="runs">Newest</a>`}
        ${replays.length > pageSize && html`<a href="runs?before=${runs.at(-1)?.id}" rel="next">Older</a>`}
      </nav></section>
    <section aria-labelledby="ticks"><h2 id="ticks">Retries by schedule</h2>
      ${ticks.length === 0 ? html`<p class="muted">No tick had anything to do yet.</p>` : tickTable(ticks, visit.now)}</section>
    </div>`;
  return { title: 'Runs', tab: 'runs', main };
}

const noReplays = html`<p class="muted">Nobody has replayed anything yet. <a href="events">Find the events</a>, choose some or all that match,
  and press Replay: you see first what would happen.</p>`;

function runTable(runs: readonly DescribedRun[], now: Date): Html {
  return html`<table class="runs">
    <thead><tr><th class="state">State</th><th>Events</th><th class="by wide">By</th><th class="num">Began</th></tr></thead>
    <tbody>${runs.map((run) => runRow(run, now))}</tbody></table>`;
}

function runRow(run: DescribedRun, now: Date): Html {
  return html`<tr data-row>
    <td class="state">${runState(run)}</td>
    <td><a class="title" href="runs/${run.id}">${run.reason ?? `Replay ${run.id}`}</a>
      <div class="muted small clip">${printFilterText(run.request.filter)}</div>
      ${progressBar(run.progress)}<div class="muted small">${describeProgress(run.progress)}</div></td>
    <td class="wide wrap">${run.requestedBy}</td>
    <td class="num">${ago(run.createdAt, now)}</td>
  </tr>`;
}

function tickTable(ticks: readonly Tick[], now: Date): Html {
  return html`<table><thead><tr><th>Tick</th><th>What it did</th><th class="num wide">Took</th><th class="num">Began</th></tr></thead>
    <tbody>${ticks.map(
      (
        tick,
      ) => html`<tr data-row><td><a class="title" href="runs/${tick.id}">${tick.id}</a></td><td>${describeTick(tick)}</td>
      <td class="num wide">${tick.ended_at && formatDuration(tick.ended_at.getTime() - tick.started_at.getTime())}</td>
      <td class="num">${ago(tick.started_at, now)}</td></tr>`,
    )}</tbody></table>`;
}
