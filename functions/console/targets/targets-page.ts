import { formatNumber } from '../../../shared/count-of.ts';
import type { TargetState } from '../../../shared/delivery/read-states.ts';
import type { Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import type { Waiting } from '../../../shared/schedule/count-waiting.ts';
import type { Lane } from '../../../shared/schedule/lanes.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { listWaitingTargets } from '../../../shared/targets/show-targets.ts';
import { ago, formatDuration } from '../components/format.ts';
import { pageHead, section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { describeTarget, linkTarget, targetMark } from '../components/target-state.ts';
import { routeFormLink } from '../components/why.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { describeRoute } from './routes.ts';
import { stopNotice, stopSection } from './stop-section.ts';

const maxUnrouted = 20;

/** `GET /targets`: every target with its state, its latest answers, its routes, and what waits for it. */
export async function targetsPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { routes } = deps;
  const { now } = context;
  const { targets, unrouted } = await listWaitingTargets(deps, await readSnapshot(deps));
  const list = table('targets', targets, [
    ['Target', 'wrap', (target) => nameCell(target, routes, now)],
    [
      'State',
      'state wide-only',
      (target) =>
        html`${targetMark(target)}<div class="muted small wrap">${describeTarget(target, now)}</div>`,
    ],
    ['Median', 'num wide-only', ({ latest }) => latest && formatDuration(latest.medianMs)],
    ['Last used', 'num wide-only', ({ lastAt }) => lastAt && ago(lastAt, now)],
    ['Waiting', 'num', ({ waiting: events, isExact }) => formatWaiting({ events, isExact })],
  ]);
  const main = html`${pageHead('Targets')}${await stopNotice(deps.db, context)}
    ${routes.length === 0 ? noRoutes : html`<div id="live" data-live="10">${list}</div>`}
    ${unroutedSection(unrouted)}${routes.length > 0 && stopSection(context)}`;
  return { title: 'Targets', tab: 'targets', main };
}

function nameCell(view: TargetState, routes: readonly Route[], now: Date): Html {
  const { target } = view;
  const own = routes.filter((route) => nameTarget(route.target) === target);
  return html`${linkTarget(target, 'title')}
    <div class="narrow-only">${targetMark(view)} <span class="muted small">${describeTarget(view, now)}</span></div>
    ${own.map((route) => html`<div class="muted small">${describeRoute(route, routes.indexOf(route))}</div>`)}`;
}

/** `12,480`, or `more than 10,000`. */
export function formatWaiting({ events, isExact }: Waiting): string {
  return `${isExact ? '' : 'more than '}${formatNumber(events)}`;
}

const noRoutes = html`<div class="empty"><h2>No route is configured</h2>
  <p>A route defines which events are retried, at which target and how often. Set <code>ROUTES</code>; until then events stay pending.</p></div>`;

const maxCounted = 10_000;

const addTo = (sum: number, { events = 0 }: Lane) => sum + events;

function unroutedSection(lanes: readonly Lane[]): Html | false {
  if (lanes.length === 0) return false;
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
    [
      'Waiting',
      'num',
      ({ events }) => formatWaiting({ events: Math.min(events, maxCounted), isExact: events <= maxCounted }),
    ],
    [
      html`<span class="visually-hidden">What to do</span>`,
      'num',
      (lane) => html`<a href="${routeFormLink(lane)}">Make a route…</a>`,
    ],
  ]);
  const note = html`<p class="muted">No route matches these open events. They stay pending until one does.</p>`;
  return section('Without a route', html`${note}${list}`);
}
