import type { TargetState } from '../../../shared/delivery/read-states.ts';
import type { Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import type { Lane } from '../../../shared/schedule/lanes.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { listWaitingTargets } from '../../../shared/targets/show-targets.ts';
import { ago, formatDuration, formatLeast } from '../components/format.ts';
import { emptyState, pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { describeTarget, linkTarget, targetMark } from '../components/target-state.ts';
import { routeFormLink } from '../components/why.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { describeRoute } from './routes.ts';
import { stopNotice, stopSection } from './stop-section.ts';

const maxUnrouted = 20;
const maxCounted = 10_000;

/** `GET /targets`: every target with its state, its latest answers, its routes, and what waits for it. */
export async function targetsPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { routes } = deps;
  const { targets, unrouted } = await listWaitingTargets(deps, await readSnapshot(deps));
  const describe = (target: TargetState) =>
    html`${targetMark(target)} <span class="muted small wrap">${describeTarget(target)}</span>`;
  const list = table('targets', targets, [
    [
      'Target',
      'wrap',
      (target) =>
        html`${linkTarget(target.target, 'title')}<div class="narrow-only">${describe(target)}</div>${listRoutes(target, routes)}`,
    ],
    ['State', 'state wide-only', describe],
    ['Median', 'num wide-only', ({ latest }) => latest && formatDuration(latest.medianMs)],
    ['Last used', 'num wide-only', ({ lastAt }) => lastAt && ago(lastAt)],
    ['Waiting', 'num', ({ waiting, isExact }) => formatLeast(waiting, isExact)],
  ]);
  const main = html`${pageHead('Targets')}${await stopNotice(deps.db, context)}
    ${routes.length === 0 ? noRoutes : html`<div id="live" data-live="10">${list}</div>`}
    ${unrouted.length > 0 && unroutedSection(unrouted)}${routes.length > 0 && stopSection(context)}`;
  return { title: 'Targets', tab: 'targets', main };
}

function listRoutes({ target }: TargetState, routes: readonly Route[]): Html {
  const own = routes.filter((route) => nameTarget(route.target) === target);
  return html`${own.map((route) => html`<div class="muted small">${describeRoute(route, routes.indexOf(route))}</div>`)}`;
}

const noRoutes = emptyState(
  'No route is configured',
  html`<p>A route defines which events are retried, at which target and how often. Set <code>ROUTES</code>; until then events stay pending.</p>`,
);

const addTo = (sum: number, { events = 0 }: Lane) => sum + events;

function unroutedSection(lanes: readonly Lane[]): Html {
  // Lanes also tell apart keys and errors, which a route does not.
  const alike = Object.values(Object.groupBy(lanes, (lane) => routeFormLink(lane) + lane.sourceTopic));
  const largest = alike
    .flatMap(([one, ...more] = []) => (one ? { ...one, events: more.reduce(addTo, addTo(0, one)) } : []))
    .toSorted((a, b) => b.events - a.events)
    .slice(0, maxUnrouted);
  const list = table('', largest, [
    ['Event type', 'wrap', ({ eventType }) => eventType],
    [
      'Source',
      'wrap wide-only',
      ({ sourceKind, sourceTopic: topic }) => html`${sourceKind}${topic && html`, ${topic}`}`,
    ],
    ['Consumer', 'wrap wide-only', ({ consumerGroup }) => consumerGroup],
    ['Waiting', 'num', ({ events }) => formatLeast(Math.min(events, maxCounted), events <= maxCounted)],
    [
      html`<span class="visually-hidden">What to do</span>`,
      'num',
      (lane) => html`<a href="${routeFormLink(lane)}">Make a route…</a>`,
    ],
  ]);
  const note = html`<p class="muted">No route matches these open events. They stay pending until one does.</p>`;
  return section('Without a route', html`${note}${list}`);
}
