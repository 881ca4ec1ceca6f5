import { findRoute, nameTarget, type Origin, type Route } from '../../../shared/routes.ts';
import { statement } from '../../../shared/sql.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../layout.ts';
import { countOf, formatNumber } from '../parts/number.ts';
import { ago } from '../parts/time.ts';
import type { Visit } from '../visit.ts';
import { type Breaker, breakerState, listBreakers } from './breakers.ts';
import { describeBackoff, describeMatch } from './describe-route.ts';

type LaneCount = Origin & { readonly events: number };

const countLanes = statement<{ most: number }, LaneCount>('count-lanes');

/** So many events of a lane are counted; where there are more, the page says so. */
const mostCounted = 10_000;

/** `GET /targets`: every route with its target, how that is doing, and what waits for it. */
export async function targetsPage({ db, routes }: ConsoleDeps, { now }: Visit): Promise<Page> {
  const [lanes, breakers] = await Promise.all([
    countLanes(db, { most: mostCounted + 1 }),
    listBreakers(db, {}),
  ]);
  const known = new Map(breakers.map((breaker) => [breaker.target, breaker]));
  const waiting = Map.groupBy(lanes, (lane) => findRoute(routes, lane));
  const row = (route: Route, index: number) => {
    const breaker = known.get(nameTarget(route.target));
    return routeRow({ route, index, breaker, waiting: waiting.get(route) ?? [], now });
  };
  const main = html`<div class="head"><h1>Targets</h1></div>
    ${
      routes.length === 0
        ? noRoutes
        : html`<div id="live" data-live="10"><table>
      <thead><tr><th>Target</th><th>State</th><th class="wide">Events</th><th class="wide">Retries</th><th class="num">Open</th></tr></thead>
      <tbody>${routes.map(row)}</tbody></table></div>`
    }
    ${unrouted(waiting.get(undefined) ?? [])}`;
  return { title: 'Targets', tab: 'targets', main };
}

type Row = {
  readonly route: Route;
  readonly index: number;
  readonly breaker: Breaker | undefined;
  readonly waiting: readonly LaneCount[];
  readonly now: Date;
};

function routeRow({ route, index, breaker, waiting, now }: Row): Html {
  return html`<tr data-row>
    <td class="wrap"><b>${nameTarget(route.target)}</b><div class="muted small">route ${index + 1}, ${route.target.kind}${route.ordered && ', in order of each key'}</div></td>
    <td>${breakerState(breaker)}<div class="muted small">${breaker && describeHealth(breaker, now)}</div></td>
    <td class="wide wrap">${describeMatch(route)}</td>
    <td class="wide">${describeBackoff(route)}</td>
    <td class="num">${formatOpen(waiting)}</td>
  </tr>`;
}

function describeHealth(breaker: Breaker, now: Date): Html | string {
  if (breaker.opened_at && breaker.probe_after) {
    return html`since ${ago(breaker.opened_at, now)}, next probe ${ago(breaker.probe_after, now)}`;
  }
  if (breaker.deliveries === 0) return '';
  return `${formatNumber(breaker.failures)} of ${countOf(breaker.deliveries, 'delivery', 'deliveries')} failed of late`;
}

function formatOpen(waiting: readonly LaneCount[]): string {
  const events = waiting.reduce((sum, lane) => sum + Math.min(lane.events, mostCounted), 0);
  return `${formatNumber(events)}${waiting.some((lane) => lane.events > mostCounted) ? '+' : ''}`;
}

const noRoutes = html`<div class="empty"><h2>No route is configured</h2>
  <p>A route says which events are retried, where and how. Set <code>ROUTES</code>; until then events wait, at no cost.</p></div>`;

const mostUnrouted = 20;

function unrouted(lanes: readonly LaneCount[]): Html | false {
  if (lanes.length === 0) return false;
  const most = lanes.toSorted((a, b) => b.events - a.events).slice(0, mostUnrouted);
  return html`<section aria-labelledby="unrouted"><h2 id="unrouted">Without a route</h2>
    <p class="muted">No route matches these open events: they wait until one does.</p>
    <table><thead><tr><th>Event type</th><th>Source</th><th>Consumer</th><th class="num">Open</th></tr></thead>
    <tbody>${most.map(
      (
        lane,
      ) => html`<tr><td class="wrap">${lane.event_type}</td><td class="wrap">${lane.source_kind}${lane.source_topic && html`, ${lane.source_topic}`}</td>
      <td class="wrap">${lane.consumer_group}</td><td class="num">${formatOpen([lane])}</td></tr>`,
    )}</tbody></table></section>`;
}
