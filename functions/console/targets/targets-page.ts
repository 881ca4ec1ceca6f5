import { type Breaker, listBreakers } from '../../../shared/delivery/breakers.ts';
import { countLanes, type LaneCount } from '../../../shared/delivery/count-lanes.ts';
import { findRoute, type Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import { ago, countOf, formatDuration, formatNumber } from '../components/format.ts';
import { breakerState } from '../components/marks.ts';
import { pageHead, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';

/** Events of a lane are counted up to this limit; a `+` marks a larger number. */
const maxCounted = 10_000;

const maxUnrouted = 20;

/** `GET /targets`: every route with its target, the state of its breaker, and its open events. */
export async function targetsPage({ db, routes }: ConsoleDeps, { now }: PageContext): Promise<Page> {
  const [lanes, breakers] = await Promise.all([
    countLanes(db, { max: maxCounted + 1 }),
    listBreakers(db, {}),
  ]);
  const known = new Map(breakers.map((breaker) => [breaker.target, breaker]));
  const byRoute = Map.groupBy(lanes, (lane) => findRoute(routes, lane));
  const rows = routes.map((route, index) => {
    const breaker = known.get(nameTarget(route.target));
    return routeRow({ route, index, breaker, lanes: byRoute.get(route) ?? [], now });
  });
  const main = html`${pageHead('Targets')}
    ${
      routes.length === 0
        ? noRoutes
        : html`<div id="live" data-live="10"><table>
      <thead><tr><th>Target</th><th>State</th><th class="wide-only">Events</th><th class="wide-only">Retries</th><th class="num">Open</th></tr></thead>
      <tbody>${rows}</tbody></table></div>`
    }
    ${unrouted(byRoute.get(undefined) ?? [])}`;
  return { title: 'Targets', tab: 'targets', main };
}

type Row = {
  readonly route: Route;
  readonly index: number;
  readonly breaker: Breaker | undefined;
  readonly lanes: readonly LaneCount[];
  readonly now: Date;
};

function routeRow({ route, index, breaker, lanes, now }: Row): Html {
  return html`<tr data-row>
    <td class="wrap"><b>${nameTarget(route.target)}</b><div class="muted small">route ${index + 1}, ${route.target.kind}${route.ordered && ', ordered by key'}</div></td>
    <td>${breakerState(breaker)}<div class="muted small">${breaker && describeHealth(breaker, now)}</div></td>
    <td class="wide-only wrap">${describeMatch(route)}</td>
    <td class="wide-only">${describeBackoff(route)}</td>
    <td class="num">${formatOpen(lanes)}</td>
  </tr>`;
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
  const rows = largest.map(
    (
      lane,
    ) => html`<tr><td class="wrap">${lane.eventType}</td><td class="wrap">${lane.sourceKind}${lane.sourceTopic && html`, ${lane.sourceTopic}`}</td>
      <td class="wrap">${lane.consumerGroup}</td><td class="num">${formatOpen([lane])}</td></tr>`,
  );
  const table = html`<p class="muted">No route matches these open events. They stay pending until one does.</p>
    <table><thead><tr><th>Event type</th><th>Source</th><th>Consumer</th><th class="num">Open</th></tr></thead>
    <tbody>${rows}</tbody></table>`;
  return section('Without a route', table);
}

const names = {
  eventType: 'type',
  sourceKind: 'kind',
  sourceTopic: 'topic',
  consumerGroup: 'group',
} as const;

/** The events a route matches, in the text form of the filter. */
function describeMatch({ match }: Route): string {
  const conditions = Object.entries(names).flatMap(([field, word]) => {
    const glob = match[field as keyof typeof names];
    return glob === undefined ? [] : [`${word}:${glob}`];
  });
  return conditions.join(' ') || 'all other events';
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
