import * as v from 'valibot';
import { type Breaker, listBreakers } from '../delivery/breakers.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Filter } from '../events/filter/filter-schema.ts';
import { count, described, listOf, object, textOrNull, time, timeOrNull } from '../events/response-values.ts';
import { countBlocked, countDue, type DueCount } from './count-due.ts';
import { listLanes } from './lanes.ts';

const states = ['open', 'probe', 'down', 'held', 'no-route'] as const;

const TargetForecastSchema = v.strictObject({
  target: described(textOrNull, 'Null for the events that no route matches.'),
  state: described(
    v.picklist(states),
    'open: a tick delivers to it; probe: a tick sends one event to find out whether it is back; down; held by an operator; no-route.',
  ),
  because: described(textOrNull, 'Why an operator holds it.'),
  until: described(timeOrNull, 'When a target that is down may be probed.'),
  due: described(count, 'Events that are due now.'),
  nextTick: described(count, 'Of these, the ones that a tick that starts now would claim.'),
  behindKey: described(
    count,
    'Due events of an ordered route behind an earlier event of their key that is not due, being delivered, or has failed permanently.',
  ),
  soon: described(count, 'Events that become due within the hour.'),
  earliest: described(timeOrNull, 'When the first of these becomes due.'),
  isExact: described(v.boolean(), 'False if there are more events than these numbers say.'),
  filter: described(
    object,
    'A filter for its due events; also matches those of another target that shares an event type.',
  ),
});

export type TargetForecast = Readonly<Omit<v.InferOutput<typeof TargetForecastSchema>, 'filter'>> & {
  readonly filter: Filter;
};

/** What a tick that started now would do. */
export const ForecastSchema = v.strictObject({
  at: time,
  isEnabled: described(v.boolean(), 'False while retries are switched off: no tick claims anything.'),
  maxEvents: described(
    v.nullable(count),
    'The maximum of events that one tick claims; null without a limit.',
  ),
  due: count,
  nextTick: count,
  soon: count,
  isExact: v.boolean(),
  items: described(listOf(TargetForecastSchema), 'By target, the most due events first.'),
});

export type Forecast = Omit<v.InferOutput<typeof ForecastSchema>, 'items'> & {
  readonly items: readonly TargetForecast[];
};

type Lane = Awaited<ReturnType<typeof listLanes>>[number] & { readonly route: Route | undefined };

/**
 * Forecasts the next tick by the conditions of its claim (claim-events.sql): the events that are due, by target; which of them it
 * would claim if it started now, and what holds the others.
 */
export async function forecast({
  db,
  routes,
  retry,
}: Pick<DeliveryDeps, 'db' | 'routes' | 'retry'>): Promise<Forecast> {
  const at = new Date();
  const listed = await listLanes(db, { max: 0 });
  const lanes: Lane[] = listed.map((lane) => ({ ...lane, route: findRoute(routes, lane) }));
  const ordered = lanes.filter(({ route, hasKey }) => route?.ordered && hasKey).map(({ lane }) => lane);
  const [counts, blocked, breakers] = await Promise.all([
    countDue(
      db,
      lanes.map(({ lane }) => lane),
    ),
    countBlocked(db, ordered),
    listBreakers(db, {}),
  ]);
  const byTarget = Map.groupBy(lanes, ({ route }) => (route ? nameTarget(route.target) : null));
  const items = [...byTarget].map(([target, own]): TargetForecast => {
    const named = new Set(own.map(({ lane }) => lane));
    const ofTarget = counts.filter(({ lane }) => named.has(lane));
    const behind = blocked.filter(({ lane }) => named.has(lane));
    const [due, behindKey] = [sumOf(ofTarget, 'due'), sumOf(behind, 'blocked')];
    const held = judge(
      target,
      breakers.find((breaker) => breaker.target === target),
      at,
    );
    const free = Math.max(0, due - behindKey);
    return {
      target,
      ...held,
      due,
      nextTick: retry.enabled
        ? { open: free, probe: Math.min(1, free), down: 0, held: 0, 'no-route': 0 }[held.state]
        : 0,
      behindKey,
      soon: sumOf(ofTarget, 'soon'),
      earliest: earliestOf(ofTarget),
      isExact: [...ofTarget, ...behind].every(({ isExact }) => isExact),
      filter: {
        eventType: [...new Set(own.map(({ eventType }) => eventType))].slice(0, 100),
        dueBefore: 'now',
      },
    };
  });
  const largest = items
    .filter(({ due, soon }) => due + soon > 0)
    .sort((a, b) => b.due - a.due || b.soon - a.soon);
  const { enabled: isEnabled, maxEventsPerTick: maxEvents } = retry;
  return {
    at,
    isEnabled,
    maxEvents,
    due: sumOf(items, 'due'),
    nextTick: Math.min(sumOf(items, 'nextTick'), maxEvents ?? Number.POSITIVE_INFINITY),
    soon: sumOf(items, 'soon'),
    isExact: items.every(({ isExact }) => isExact),
    items: largest,
  };
}

type Held = Pick<TargetForecast, 'state' | 'because' | 'until'>;

/** Whether a tick that starts now delivers to a target. One whose breaker has closed gets its events slowly, but all of them. */
function judge(target: string | null, breaker: Breaker | undefined, at: Date): Held {
  const because = breaker?.heldAt ? `${breaker.heldBy}: ${breaker.heldReason}` : null;
  if (target === null) return { state: 'no-route', because, until: null };
  if (because !== null) return { state: 'held', because, until: null };
  if (breaker === undefined || breaker.state === 'CLOSED') return { state: 'open', because, until: null };
  const { probeAfter } = breaker;
  if (probeAfter && probeAfter <= at) return { state: 'probe', because, until: null };
  return { state: 'down', because, until: probeAfter };
}

function sumOf<Field extends string>(
  rows: readonly { readonly [Name in Field]: number }[],
  field: Field,
): number {
  return rows.reduce((sum, row) => sum + row[field], 0);
}

function earliestOf(counts: readonly DueCount[]): Date | null {
  const times = counts.flatMap(({ earliest }) => (earliest ? [earliest.getTime()] : []));
  return times.length === 0 ? null : new Date(Math.min(...times));
}
