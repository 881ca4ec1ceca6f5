import { nameTarget, type Route } from '../../../shared/routes.ts';
import { type Html, html } from '../html.ts';
import { describeTick, expectNextTick, type Tick } from '../parts/ticks.ts';
import { ago } from '../parts/time.ts';
import { type Breaker, breakerState } from '../targets/breakers.ts';

/** Every target of a route, those that are down first. */
export function targetSection(routes: readonly Route[], breakers: readonly Breaker[], now: Date): Html {
  const known = new Map(breakers.map((breaker) => [breaker.target, breaker]));
  const names = [...new Set(routes.map(({ target }) => nameTarget(target)))];
  const isUp = (name: string) => (known.get(name)?.state ?? 'CLOSED') === 'CLOSED';
  const ordered = names.toSorted((a, b) => Number(isUp(a)) - Number(isUp(b)));
  return html`<section aria-labelledby="targets"><div class="section-head"><h2 id="targets">Targets</h2><a href="targets">All</a></div>
    ${names.length === 0 && html`<p class="muted">No route is configured: events wait until one matches.</p>`}
    <ul class="lines">${ordered.map((name) => targetLine(name, known.get(name), now))}</ul></section>`;
}

function targetLine(name: string, breaker: Breaker | undefined, now: Date): Html {
  return html`<li><span class="clip" title="${name}">${shorten(name)}</span>${breakerState(breaker)}
    ${breaker?.probe_after && html`<span class="muted small more">since ${breaker.opened_at && ago(breaker.opened_at, now)}, next probe ${ago(breaker.probe_after, now)}</span>`}</li>`;
}

/** The end of an address is what tells it from others. */
function shorten(name: string): string {
  return name.replace(/^https?:\/\//, '').replace(/^projects\/[^/]+\//, '');
}

/** The retries by schedule: what the last one did, and when the next one is to be expected. */
export function scheduleSection(ticks: readonly Tick[], now: Date): Html {
  const [last] = ticks;
  const next = expectNextTick(ticks);
  return html`<section aria-labelledby="schedule"><div class="section-head"><h2 id="schedule">Schedule</h2><a href="runs">All runs</a></div>
    ${!last && html`<p class="muted">No tick has run yet. The schedule calls <code>POST /retry</code>.</p>`}
    ${
      last &&
      html`<ul class="lines">
      <li><span>Last tick</span><span>${ago(last.started_at, now)}</span><span class="muted small more">${describeTick(last)}</span></li>
      ${next && html`<li><span>Next tick</span><span>${next > now ? ago(next, now) : html`<b class="bad">expected ${ago(next, now)}</b>`}</span></li>`}
    </ul>`
    }</section>`;
}
