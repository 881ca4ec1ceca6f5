import type { TargetState } from '../../../shared/delivery/read-states.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import type { Forecast } from '../../../shared/schedule/forecast.ts';
import type { Tick } from '../../../shared/schedule/ticks.ts';
import { ago } from '../components/format.ts';
import { runState } from '../components/marks.ts';
import { describeProgress, progressBar } from '../components/progress.ts';
import { section } from '../components/section.ts';
import { describeTarget, linkTarget, targetMark } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import { forecastLines } from '../runs/forecast-section.ts';
import { describeTick, expectNextTick } from '../runs/tick-page.ts';

/** The replays that are running or paused with their progress; nothing if there are none. */
export function openRunSection(runs: readonly ListedRun[]): Html | false {
  if (runs.length === 0) return false;
  const lines = runs.map(
    (
      run,
    ) => html`<li><a class="title truncate" href="runs/${run.id}">${run.reason ?? `Replay ${run.id}`}</a>${runState(run)}
      <span class="more">${progressBar(run)}</span><span class="muted small more">${describeProgress(run)}</span></li>`,
  );
  return section('Open replays', html`<ul class="list">${lines}</ul>`, html`<a href="runs">All runs</a>`);
}

/** Every target of a route, those that get no deliveries first. */
export function targetSection(targets: readonly TargetState[], now: Date): Html {
  const isUp = ({ state }: TargetState) => state === 'up' || state === 'unused';
  const ordered = targets.toSorted((a, b) => Number(isUp(a)) - Number(isUp(b)));
  const list = html`${targets.length === 0 && html`<p class="muted">No route is configured: events stay pending until one matches.</p>`}
    <ul class="list">${ordered.map((target) => targetLine(target, isUp(target), now))}</ul>`;
  return section('Targets', list, html`<a href="targets">All targets</a>`);
}

function targetLine(target: TargetState, isUp: boolean, now: Date): Html {
  const { target: name } = target;
  return html`<li>${linkTarget(name, 'title plain-title truncate')}${targetMark(target)}
    ${!isUp && html`<span class="muted small more wrap">${describeTarget(target, now)}</span>`}</li>`;
}

/** The scheduled retries: the result of the last tick, the expected time of the next one, and what is due. */
export function scheduleSection(ticks: readonly Tick[], forecast: Forecast, now: Date): Html {
  const [last] = ticks;
  const next = expectNextTick(ticks);
  const lastTick = last
    ? html`<li><span>Last tick</span><span>${ago(last.startedAt, now)}</span><span class="muted small more">${describeTick(last)}</span></li>
      ${next && html`<li><span>Next tick</span><span>${next > now ? ago(next, now) : html`<b class="bad">expected ${ago(next, now)}</b>`}</span></li>`}`
    : html`<li><span class="muted">No tick has run yet. The schedule calls <code>POST /retry</code>.</span></li>`;
  const list = html`<ul class="list">${lastTick}${forecastLines(forecast)}</ul>`;
  return section('Schedule', list, html`<a href="runs#what-happens-next">What happens next</a>`);
}
