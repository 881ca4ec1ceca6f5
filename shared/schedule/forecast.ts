import * as v from 'valibot';
import { findPause } from '../delivery/breakers.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import type { Filter } from '../events/filter/filter-schema.ts';
import { count, described, listOf, object, textOrNull, time, timeOrNull } from '../response-values.ts';
import { type Backlog, backlogStates, listBacklogs } from './backlogs.ts';
import { CauseSchema } from './causes.ts';

const TargetForecastSchema = v.strictObject({
  target: described(textOrNull, 'Null for the events that no route matches.'),
  state: described(
    v.picklist(backlogStates),
    'open: a tick delivers to it; probe: a tick sends one event to find out whether it is back; down; held by an operator; no-route.',
  ),
  because: described(textOrNull, 'Why an operator holds it.'),
  until: described(timeOrNull, 'When a target that is down may be probed.'),
  waiting: described(count, 'Open events, whether or not their time has come.'),
  isWaitingExact: described(v.boolean(), 'False if more events wait than `waiting` says.'),
  due: described(count, 'Events that a tick that starts now would claim.'),
  heldBack: described(
    count,
    'Events whose time has come, and that are not due: see `state` and `behindKey`.',
  ),
  behindKey: described(
    count,
    'Of these, the events of an ordered route behind one of their key that is not due or failed permanently.',
  ),
  failing: described(count, 'Of these, the events whose cause fails by itself: a tick sends single samples.'),
  causes: described(listOf(CauseSchema), 'What fails by itself there.'),
  soon: described(count, 'Events that become due within the hour.'),
  earliest: described(timeOrNull, 'When the first of these becomes due.'),
  isExact: described(v.boolean(), 'False if there are more events than these numbers say.'),
  filter: described(
    object,
    'A filter for the events whose time has come, also of another target that shares an event type.',
  ),
});

export type TargetForecast = Readonly<Omit<v.InferOutput<typeof TargetForecastSchema>, 'filter'>> & {
  readonly filter: Filter;
};

/** What a tick that started now would do. */
export const ForecastSchema = v.strictObject({
  at: time,
  isEnabled: described(v.boolean(), 'False while retries are switched off: no tick claims anything.'),
  paused: described(
    v.nullable(v.strictObject({ by: textOrNull, reason: textOrNull, until: timeOrNull })),
    'Who paused the schedule, why, and until when; null while it runs.',
  ),
  maxEvents: described(
    v.nullable(count),
    'The maximum of events that one tick claims; null without a limit.',
  ),
  due: count,
  nextTick: described(count, 'Of the due events, those that one tick claims.'),
  heldBack: count,
  soon: count,
  isExact: v.boolean(),
  items: described(listOf(TargetForecastSchema), 'By target, the most due events first.'),
});

export type Forecast = Omit<v.InferOutput<typeof ForecastSchema>, 'items'> & {
  readonly items: readonly TargetForecast[];
};

/**
 * Forecasts the next tick: the events that are due, by target, and what holds back the others whose time has
 * come.
 */
export async function forecast({
  db,
  routes,
  retry,
}: Pick<DeliveryDeps, 'db' | 'routes' | 'retry'>): Promise<Forecast> {
  const at = new Date();
  const [backlogs, pause] = await Promise.all([listBacklogs(db, routes), findPause(db)]);
  const items = backlogs.map(describe);
  const sum = (of: 'due' | 'heldBack' | 'soon') => items.reduce((total, item) => total + item[of], 0);
  const { enabled: isEnabled, maxEventsPerTick: maxEvents } = retry;
  const due = sum('due');
  return {
    at,
    isEnabled,
    paused: pause ? { by: pause.heldBy, reason: pause.heldReason, until: pause.heldUntil } : null,
    maxEvents,
    due,
    nextTick: isEnabled && !pause ? Math.min(due, maxEvents ?? due) : 0,
    heldBack: sum('heldBack'),
    soon: sum('soon'),
    isExact: items.every(({ isExact }) => isExact),
    items: items
      .filter(({ due, heldBack, soon }) => due + heldBack + soon > 0)
      .sort((a, b) => b.due - a.due || b.heldBack - a.heldBack || b.soon - a.soon),
  };
}

function describe({ lanes, dueSince: _, ...backlog }: Backlog): TargetForecast {
  const eventType = [...new Set(lanes.map((lane) => lane.eventType))].slice(0, 100);
  return { ...backlog, filter: { eventType, dueBefore: 'now' } };
}
