import type { Database } from '../../../shared/database/database.ts';
import { maxBigint, readId } from '../../../shared/events/event-id.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { type ListedRun, listRuns } from '../../../shared/replay/list-runs.ts';
import { forecast } from '../../../shared/schedule/forecast.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { listBusyTicks, listTicks, type Tick } from '../../../shared/schedule/ticks.ts';
import { ago, formatDuration } from '../components/format.ts';
import { linkSwitch, pager } from '../components/links.ts';
import { runState } from '../components/marks.ts';
import { describeProgress, progressBar } from '../components/progress.ts';
import { pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { forecastSection } from './forecast-section.ts';
import { runTimeline } from './run-timeline.ts';
import { scheduleForm } from './schedule-form.ts';
import { describeTick, expectNextTick } from './tick-page.ts';

const pageSize = 25;
/** Runs of each kind in the line of time. */
const maxDrawn = 100;

const views = { replays: 'Replays', ticks: 'Scheduled retries' } as const;

/**
 * `GET /runs?view=&before=`: what happens next, and one page of the replays, or of the ticks that claimed
 * events, newest first.
 */
export async function runsPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db } = deps;
  const before = readId(context.query.get('before')) ?? maxBigint;
  const view = context.query.get('view') === 'ticks' ? 'ticks' : 'replays';
  const [list, latest, next, runs, ticks] = await Promise.all([
    view === 'ticks' ? listTickPage(db, before, context.now) : listReplayPage(deps, before, context.now),
    listTicks(db, { before: maxBigint, limit: 6 }),
    readSnapshot(deps).then((snapshot) => forecast(deps, snapshot)),
    listRuns(deps, { limit: maxDrawn }),
    listBusyTicks(db, { before: maxBigint, limit: maxDrawn }),
  ]);
  const link = (name: string) => (name === 'ticks' ? 'runs?view=ticks' : 'runs');
  const tabs = linkSwitch<string>('Runs', Object.entries(views), { current: view, href: link });
  const main = html`${pageHead('Runs')}
    <div id="live-next" data-live="15">${forecastSection(next, expectNextTick(latest), context.now)}</div>
    ${context.caller.isOperator && scheduleForm(deps, context, next)}
    <div id="live" data-live="${list.seconds}">
    ${runTimeline(runs, ticks, context.now)}
    ${section(views[view], html`${list.table}${pager(list.nextPage, before !== maxBigint && link(view))}`, tabs)}
    </div>`;
  return { title: 'Runs', tab: 'runs', main };
}

type List = { readonly table: Html; readonly nextPage: string | false; readonly seconds: number };

async function listReplayPage(deps: ConsoleDeps, before: string, now: Date): Promise<List> {
  const found = await listRuns(deps, { before, limit: pageSize + 1 });
  const runs = found.slice(0, pageSize);
  return {
    table: runs.length === 0 ? noReplays : runTable(runs, now),
    nextPage: found.length > pageSize && `runs?before=${runs.at(-1)?.id}`,
    seconds: runs.some(({ state }) => state !== 'ended') ? 2 : 15,
  };
}

async function listTickPage(db: Database, before: string, now: Date): Promise<List> {
  const found = await listBusyTicks(db, { before, limit: pageSize + 1 });
  const ticks = found.slice(0, pageSize);
  return {
    table: ticks.length === 0 ? noTicks : tickTable(ticks, now),
    nextPage: found.length > pageSize && `runs?view=ticks&before=${ticks.at(-1)?.id}`,
    seconds: 15,
  };
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
  const { id, reason, request, requestedBy } = run;
  return html`<a class="title" href="runs/${id}">${reason ?? `Replay ${id}`}</a>
    <div class="muted small narrow-only">${requestedBy}</div>
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
