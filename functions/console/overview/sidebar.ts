import type { Breaker } from '../../../shared/delivery/breakers.ts';
import type { Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import type { Tick } from '../../../shared/schedule/ticks.ts';
import { ago } from '../components/format.ts';
import { breakerState, runState } from '../components/marks.ts';
import { describeProgress, progressBar } from '../components/progress.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { describeTick, expectNextTick } from '../runs/tick-page.ts';

/** The replays that are running or paused with their progress; nothing if there are none. */
export function openRunSection(runs: readonly ListedRun[]): Html | false {
  if (runs.length === 0) return false;
  const lines = runs.map(
    (
      run,
    ) => html`<li><a class="title truncate" href="runs/${run.id}">${run.reason ?? `Replay ${run.id}`}</a>${runState(run)}
      <span class="more">${progressBar(run.progress)}</span><span class="muted small more">${describeProgress(run.progress)}</span></li>`,
  );
  return section('Open replays', html`<ul class="list">${lines}</ul>`, html`<a href="runs">All runs</a>`);
}

/** Every target of a route, those that are down first. */
export function targetSection(routes: readonly Route[], breakers: readonly Breaker[], now: Date): Html {
  const known = new Map(breakers.map((breaker) => [breaker.target, breaker]));
  const names = [...new Set(routes.map(({ target }) => nameTarget(target)))];
  const isUp = (name: string) => (known.get(name)?.state ?? 'CLOSED') === 'CLOSED';
  const ordered = names.toSorted((a, b) => Number(isUp(a)) - Number(isUp(b)));
  const list = html`${names.length === 0 && html`<p class="muted">No route is configured: events stay pending until one matches.</p>`}
    <ul class="list">${ordered.map((name) => targetLine(name, known.get(name), now))}</ul>`;
  return section('Targets', list, html`<a href="targets">All targets</a>`);
}

function targetLine(name: string, breaker: Breaker | undefined, now: Date): Html {
  return html`<li><span class="truncate" title="${name}">${shorten(name)}</span>${breakerState(breaker)}
    ${breaker?.probeAfter && html`<span class="muted small more">opened ${breaker.openedAt && ago(breaker.openedAt, now)}, next probe ${ago(breaker.probeAfter, now)}</span>`}</li>`;
}

/** The end of an address distinguishes it from the others. */
function shorten(name: string): string {
  return name.replace(/^https?:\/\//, '').replace(/^projects\/[^/]+\//, '');
}

/** The scheduled retries: the result of the last tick and the expected time of the next one. */
export function scheduleSection(ticks: readonly Tick[], now: Date): Html {
  const [last] = ticks;
  const next = expectNextTick(ticks);
  const list = last
    ? html`<ul class="list">
      <li><span>Last tick</span><span>${ago(last.startedAt, now)}</span><span class="muted small more">${describeTick(last)}</span></li>
      ${next && html`<li><span>Next tick</span><span>${next > now ? ago(next, now) : html`<b class="bad">expected ${ago(next, now)}</b>`}</span></li>`}</ul>`
    : html`<p class="muted">No tick has run yet. The schedule calls <code>POST /retry</code>.</p>`;
  return section('Schedule', list, html`<a href="runs">All runs</a>`);
}
