import { countOf } from '../../../shared/count-of.ts';
import { maxBigint, readId } from '../../../shared/events/event-id.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { type ListedRun, listRuns } from '../../../shared/replay/run.ts';
import { listBusyTicks, type Tick } from '../../../shared/schedule/ticks.ts';
import { axisTime, type Mark, swatch, timeChart } from '../components/chart.ts';
import { ago, formatDuration } from '../components/format.ts';
import { link, linkSwitch, pager } from '../components/links.ts';
import { runState } from '../components/marks.ts';
import { pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { type Html, html } from '../html.ts';
import { problemLines } from '../overview/problem-list.ts';
import { findWaiting, readWork } from '../overview/problems.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { runProgress } from './run-facts.ts';
import { describeTick, scheduleForm, scheduleLines } from './schedule.ts';

const pageSize = 25;
const maxDrawn = 100;

const views = { replays: 'Replays', ticks: 'Scheduled retries' } as const;

/** `GET /runs?view=&before=`: what happens next, and one page of the replays or of the busy ticks. */
export async function runsPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { db } = deps;
  const before = readId(context.query.get('before')) ?? maxBigint;
  const view = context.query.get('view') === 'ticks' ? 'ticks' : 'replays';
  const page = { before, limit: pageSize + 1 };
  const [listed, work, runs, ticks] = await Promise.all([
    view === 'ticks' ? listBusyTicks(db, page).then(showTicks) : listRuns(deps, page).then(showRuns),
    readWork(deps),
    listRuns(deps, { limit: maxDrawn }),
    listBusyTicks(db, { before: maxBigint, limit: maxDrawn }),
  ]);
  const href = (name: string, last?: string) =>
    link('runs', { view: name === 'ticks' && name, before: last });
  const variants = Object.entries(views).map(([name, words]) => [href(name), words] as const);
  const tabs = linkSwitch('Runs', href(view), variants);
  const older = listed.last && href(view, listed.last);
  const list = html`${listed.list}${pager(older, before !== maxBigint && href(view))}`;
  const isLive = view === 'replays' && runs.some(({ state }) => state !== 'ended');
  const waiting = problemLines(findWaiting(work, deps.failingHours), context.path);
  const main = html`${pageHead('Runs')}
    <div id="live-next" data-live="15">${section('What happens next', [waiting, scheduleLines(work.ticks, work.forecast)])}</div>
    ${context.caller.isOperator && scheduleForm(deps, context, work.forecast)}
    <div id="live" data-live="${isLive ? 2 : 15}">
    ${runTimeline(runs, ticks, context.now)}${section(views[view], list, tabs)}
    </div>`;
  return { title: 'Runs', main };
}

const noReplays = html`<p class="muted">No replay yet. <a href="events">Find the events</a>, select some or all matching events, and press Replay:
  a preview shows the effect first.</p>`;

function showRuns(found: readonly ListedRun[]) {
  const runs = found.slice(0, pageSize);
  const list = table('runs', runs, [
    ['State', 'state wide-only', runState],
    ['Events', '', describeRun],
    ['By', 'by wide-only wrap', ({ requestedBy }) => requestedBy],
    ['Started', 'num', ({ createdAt }) => ago(createdAt)],
  ]);
  return { list: runs.length === 0 ? noReplays : list, last: found.length > pageSize && runs.at(-1)?.id };
}

function describeRun(run: ListedRun): Html {
  const { id, reason, request, requestedBy } = run;
  return html`<a class="title" href="runs/${id}">${reason ?? `Replay ${id}`}</a>
    <div class="muted small narrow-only">${runState(run)} · ${requestedBy}</div>
    <div class="muted small truncate">${printFilterText(request.filter)}</div>${runProgress(run)}`;
}

const noTicks = html`<p class="muted">No tick has claimed an event yet.</p>`;

function showTicks(found: readonly Tick[]) {
  const ticks = found.slice(0, pageSize);
  const list = table('', ticks, [
    ['Tick', 'by', ({ id }) => html`<a class="title" href="runs/${id}">${id}</a>`],
    ['Result', '', describeTick],
    ['Duration', 'num wide-only', ({ startedAt: at, endedAt: to }) => to && formatDuration(+to - +at)],
    ['Started', 'num', ({ startedAt }) => ago(startedAt)],
  ]);
  return { list: ticks.length === 0 ? noTicks : list, last: found.length > pageSize && ticks.at(-1)?.id };
}

const lane = 14;
const dayMs = 86_400_000;

function runTimeline(runs: readonly ListedRun[], ticks: readonly Tick[], now: Date): Html | false {
  const since = now.getTime() - dayMs;
  const place = (at: Date) => Math.max(0, (at.getTime() - since) / dayMs);
  // A replay is red if it failed, and has no color of its own if it sent nothing.
  const replays = runs.map(({ id, reason, createdAt: at, endedAt: to, progress: { failed, delivered } }) => {
    const tone = failed > 0 ? 'in' : delivered > 0 ? 'out' : 'busy';
    return { id, at, to, tone, row: 0, says: reason ?? `Replay ${id}` };
  });
  const retries = ticks.map((tick) => {
    const { id, startedAt: at, endedAt: to } = tick;
    return { id, at, to, tone: 'idle', row: 1, says: describeTick(tick) };
  });
  const shown = [...replays, ...retries].filter(({ to }) => (to ?? now).getTime() > since);
  if (shown.length === 0) return false;
  const marks = shown.map(({ id, at, to, tone, row, says }): Mark => {
    const width = Math.max(0.003, place(to ?? now) - place(at));
    const rect = { tone, x: place(at), width, y: row * lane + 2, height: lane - 4 };
    return { at, rects: [rect], says, href: `runs/${id}` };
  });
  const label = `${countOf(shown.length, 'replay or scheduled retry', 'replays and scheduled retries')} in 24 hours`;
  const axis = [4, 3, 2, 1].map((quarters) => axisTime(new Date(now.getTime() - (quarters * dayMs) / 4)));
  const chart = timeChart({ label, height: 2 * lane, marks, axis: [...axis, 'now'] });
  const legend = html`<span class="muted small">${swatch('out', 'replays')}${swatch('in', 'with failures')}${swatch('busy', 'nothing sent yet')}${swatch('idle', 'scheduled retries that claimed events')}</span>`;
  return section('The last day', chart, legend);
}
