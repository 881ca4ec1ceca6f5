import type { TargetState } from '../../../shared/delivery/read-states.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import type { Forecast } from '../../../shared/schedule/forecast.ts';
import type { Tick } from '../../../shared/schedule/ticks.ts';
import { ago } from '../components/format.ts';
import { runState } from '../components/marks.ts';
import { runProgress } from '../components/progress.ts';
import { section } from '../components/section.ts';
import { describeTarget, isUnreachable, linkTarget, targetMark } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import { forecastLines } from '../runs/forecast-section.ts';
import { describeTick, expectNextTick } from '../runs/tick-page.ts';

/** The replays that are running or paused with their progress. */
export function openRunSection(runs: readonly ListedRun[]): Html {
  const lines = runs.map((run) => {
    const name = html`<a class="title truncate" href="runs/${run.id}">${run.reason ?? `Replay ${run.id}`}</a>`;
    return html`<li>${name}${runState(run)}<div class="more">${runProgress(run)}</div></li>`;
  });
  return section('Open replays', html`<ul class="list">${lines}</ul>`, html`<a href="runs">All runs</a>`);
}

/** Every target of a route, those that get no deliveries first. */
export function targetSection(targets: readonly TargetState[]): Html {
  const ordered = targets.toSorted((a, b) => Number(isUnreachable(b)) - Number(isUnreachable(a)));
  const lines = ordered.map((target) => {
    const why =
      isUnreachable(target) && html`<span class="muted small more wrap">${describeTarget(target)}</span>`;
    return html`<li>${linkTarget(target.target, 'title plain-title truncate')}${targetMark(target)}${why}</li>`;
  });
  const none = html`<p class="muted">No route is configured: events stay pending until one matches.</p>`;
  const list = lines.length === 0 ? none : html`<ul class="list">${lines}</ul>`;
  return section('Targets', list, html`<a href="targets">All targets</a>`);
}

/** The scheduled retries: the result of the last tick, the expected time of the next one, and what is due. */
export function scheduleSection(ticks: readonly Tick[], forecast: Forecast): Html {
  const [last] = ticks;
  const next = expectNextTick(ticks);
  const time = next && (next > new Date() ? ago(next) : html`<b class="bad">expected ${ago(next)}</b>`);
  const lines = last
    ? html`<li><span>Last tick</span>${ago(last.startedAt)}<span class="muted small more">${describeTick(last)}</span></li>
      ${time && html`<li><span>Next tick</span>${time}</li>`}`
    : html`<li class="muted">No tick has run yet. The schedule calls <code>POST /retry</code>.</li>`;
  const all = html`<a href="runs#what-happens-next">What happens next</a>`;
  return section('Schedule', html`<ul class="list">${lines}${forecastLines(forecast)}</ul>`, all);
}
