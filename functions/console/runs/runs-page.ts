import { maxBigint } from '../../../shared/events/event-id.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { type ListedRun, listRuns } from '../../../shared/replay/list-runs.ts';
import { forecast } from '../../../shared/schedule/forecast.ts';
import { listBusyTicks, listTicks, type Tick } from '../../../shared/schedule/ticks.ts';
import { ago, formatDuration } from '../components/format.ts';
import { pager } from '../components/links.ts';
import { runState } from '../components/marks.ts';
import { describeProgress, progressBar } from '../components/progress.ts';
import { pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { forecastSection, runNowForm } from './forecast-section.ts';
import { describeTick, expectNextTick } from './tick-page.ts';

const pageSize = 25;

/** `GET /runs?before=`: what happens next, one page of the replays, newest first, and the last ticks that claimed events. */
export async function runsPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db } = deps;
  const before = /^\d{1,18}$/.exec(context.query.get('before') ?? '')?.[0] ?? maxBigint;
  const [replays, ticks, latest, next] = await Promise.all([
    listRuns(db, { before, limit: pageSize + 1 }),
    listBusyTicks(db, { limit: 10 }),
    listTicks(db, { before: maxBigint, limit: 6 }),
    forecast(deps),
  ]);
  const runs = replays.slice(0, pageSize);
  const hasOpenRuns = runs.some(({ state }) => state !== 'ended');
  const replayTable = runs.length === 0 ? noReplays : runTable(runs, context.now);
  const nextPage = replays.length > pageSize && `runs?before=${runs.at(-1)?.id}`;
  const main = html`${pageHead('Runs')}
    <div id="live-next" data-live="15">${forecastSection(next, expectNextTick(latest), context.now)}</div>
    ${context.caller.isOperator && runNowForm(deps, context)}
    <div id="live"${hasOpenRuns && html` data-live="2"`}>
    ${section('Replays', html`${replayTable}${pager(nextPage, before !== maxBigint && 'runs')}`)}
    ${section('Scheduled retries', ticks.length === 0 ? noTicks : tickTable(ticks, context.now))}
    </div>`;
  return { title: 'Runs', tab: 'runs', main };
}

const noTicks = html`<p class="muted">No tick has claimed an event yet.</p>`;

const noReplays = html`<p class="muted">No replay yet. <a href="events">Find the events</a>, select some or all matching events, and press Replay:
  a preview shows the effect first.</p>`;

function runTable(runs: readonly ListedRun[], now: Date): Html {
  return table('runs', runs, [
    ['State', 'state', runState],
    ['Events', '', describeListed],
    ['By', 'by wide-only wrap', ({ requestedBy }) => requestedBy],
    ['Started', 'num', ({ createdAt }) => ago(createdAt, now)],
  ]);
}

function describeListed(run: ListedRun): Html {
  const { id, reason, request } = run;
  return html`<a class="title" href="runs/${id}">${reason ?? `Replay ${id}`}</a>
    <div class="muted small truncate">${printFilterText(request.filter)}</div>
    ${progressBar(run)}<div class="muted small">${describeProgress(run)}</div>`;
}

function tickTable(ticks: readonly Tick[], now: Date): Html {
  return table('', ticks, [
    ['Tick', '', ({ id }) => html`<a class="title" href="runs/${id}">${id}</a>`],
    ['Result', '', describeTick],
    ['Duration', 'num wide-only', durationOf],
    ['Started', 'num', ({ startedAt }) => ago(startedAt, now)],
  ]);
}

function durationOf({ startedAt, endedAt }: Tick): string | null {
  return endedAt && formatDuration(endedAt.getTime() - startedAt.getTime());
}
