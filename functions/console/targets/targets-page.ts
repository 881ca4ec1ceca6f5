import { type Breaker, listBreakers } from '../../../shared/delivery/breakers.ts';
import { findRoute, type Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { type LaneCount, listLanes } from '../../../shared/schedule/lanes.ts';
import { ago, countOf, formatDuration, formatNumber } from '../components/format.ts';
import { breakerState } from '../components/marks.ts';
import { pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';

/** Events of a lane are counted up to this limit; a `+` marks a larger number. */
const maxCounted = 10_000;

const maxUnrouted = 20;

/** `GET /targets`: every route with its target, the state of its breaker, and its open events. */
export async function targetsPage({ db, routes }: ConsoleDeps, { now }: PageContext): Promise<Page> {
  const [lanes, breakers] = await Promise.all([listLanes(db, { max: maxCounted + 1 }), listBreakers(db, {})]);
  const known = new Map(breakers.map((breaker) => [breaker.target, breaker]));
  const breakerOf = ({ target }: Route) => known.get(nameTarget(target));
  const byRoute = Map.groupBy(lanes, (lane) => findRoute(routes, lane));
  const list = table('', routes, [
    ['Target', 'wrap', (route) => describeTarget(route, routes.indexOf(route))],
    ['State', '', (route) => describeState(breakerOf(route), now)],
    ['Events', 'wide-only wrap', describeMatch],
    ['Retries', 'wide-only', describeBackoff],
    ['Open', 'num', (route) => formatOpen(byRoute.get(route) ?? [])],
  ]);
  const main = html`${pageHead('Targets')}
    ${routes.length === 0 ? noRoutes : html`<div id="live" data-live="10">${list}</div>`}
    ${unrouted(byRoute.get(undefined) ?? [])}`;
  return { title: 'Targets', tab: 'targets', main };
}

function describeTarget({ target, ordered }: Route, index: number): Html {
  return html`<b>${nameTarget(target)}</b><div class="muted small">route ${index + 1}, ${target.kind}${ordered && ', ordered by key'}</div>`;
}

function describeState(breaker: Breaker | undefined, now: Date): Html {
  return html`${breakerState(breaker)}<div class="muted small">${breaker && describeHealth(breaker, now)}</div>`;
}

function describeHealth(breaker: Breaker, now: Date): Html | string {
  if (breaker.openedAt && breaker.probeAfter) {
    return html`opened ${ago(breaker.openedAt, now)}, next probe ${ago(breaker.probeAfter, now)}`;
  }
  if (breaker.deliveries === 0) return '';
  return `${formatNumber(breaker.failures)} of ${countOf(breaker.deliveries, 'recent delivery', 'recent deliveries')} failed`;
}

function formatOpen(lanes: readonly LaneCount[]): string {
  const events = lanes.reduce((sum, lane) => sum + Math.min(lane.events, maxCounted), 0);
  return `${formatNumber(events)}${lanes.some((lane) => lane.events > maxCounted) ? '+' : ''}`;
}

const noRoutes = html`<div class="empty"><h2>No route is configured</h2>
  <p>A route defines which events are retried, at which target and how often. Set <code>ROUTES</code>; until then events stay pending.</p></div>`;

function unrouted(lanes: readonly LaneCount[]): Html | false {
  if (lanes.length === 0) return false;
  const largest = lanes.toSorted((a, b) => b.events - a.events).slice(0, maxUnrouted);
  const list = table('', largest, [
    ['Event type', 'wrap', ({ eventType }) => eventType],
    [
      'Source',
      'wrap',
      ({ sourceKind, sourceTopic: topic }) => html`${sourceKind}${topic && html`, ${topic}`}`,
    ],
    ['Consumer', 'wrap', ({ consumerGroup }) => consumerGroup],
    ['Open', 'num', (lane) => formatOpen([lane])],
  ]);
  const note = html`<p class="muted">No route matches these open events. They stay pending until one does.</p>`;
  return section('Without a route', html`${note}${list}`);
}

/** The events a route matches, in the text form of the filter. */
function describeMatch({ match }: Route): string {
  const filter = Object.entries(match).map(([field, glob]) => [field, [glob]]);
  return printFilterText(Object.fromEntries(filter)) || 'all other events';
}

/** The retry policy of a route in a few words. */
function describeBackoff({ policy: { backoff, maxRetries } }: Route): string {
  const limit = maxRetries === undefined ? '' : `, up to ${maxRetries} times`;
  const time = (seconds: number) => formatDuration(seconds * 1000);
  if (backoff.kind === 'fixed') return `every ${time(backoff.delaySeconds)}${limit}`;
  if (backoff.kind === 'schedule')
    return `after ${backoff.delaysSeconds.slice(0, 4).map(time).join(', ')}${backoff.delaysSeconds.length > 4 ? ', …' : ''}${limit}`;
  return `from ${time(backoff.baseSeconds)} up to ${time(backoff.capSeconds)}${limit}`;
}
