import * as v from 'valibot';
import type { RetryConfig } from '../config/retry.ts';
import type { Database } from '../database/database.ts';
import type { Filter } from '../events/filter/filter-schema.ts';
import { count, described, listOf, object, textOrNull, time, timeOrNull } from '../response-values.ts';
import { type Backlog, BacklogSchema, listBacklogs } from './backlogs.ts';
import type { Snapshot } from './snapshot.ts';

const TargetForecastSchema = v.strictObject({
  ...BacklogSchema.entries,
  filter: described(
    object,
    'A filter for the events whose time has come, also of another target that shares an event type.',
  ),
});

export type TargetForecast = Readonly<Omit<v.InferOutput<typeof TargetForecastSchema>, 'filter'>> & {
  readonly filter: Filter;
};

export const ForecastSchema = v.strictObject({
  at: time,
  isEnabled: described(v.boolean(), 'False while retries are switched off: no tick claims anything.'),
  paused: described(
    v.nullable(v.strictObject({ by: textOrNull, reason: textOrNull, until: timeOrNull })),
    'Who paused the schedule, why, and until when; null while it runs.',
  ),
  maxEvents: described(v.nullable(count), 'The most that one tick claims; null without a limit.'),
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
export async function forecast(
  { db, retry }: { readonly db: Database; readonly retry: RetryConfig<'console'> },
  snapshot: Snapshot,
): Promise<Forecast> {
  const { at, pause } = snapshot;
  const backlogs = await listBacklogs(db, snapshot);
  const items = backlogs.map((backlog) => describeBacklog(backlog, pause !== undefined));
  const sum = (of: 'due' | 'heldBack' | 'soon') => items.reduce((total, item) => total + item[of], 0);
  const { enabled: isEnabled, maxEventsPerTick: max } = retry;
  const due = sum('due');
  return {
    at,
    isEnabled,
    paused: pause ? { by: pause.heldBy, reason: pause.heldReason, until: pause.heldUntil } : null,
    maxEvents: max || null,
    due,
    nextTick: pause ? 0 : Math.min(due, max || due),
    heldBack: sum('heldBack'),
    soon: sum('soon'),
    isExact: items.every(({ isExact }) => isExact),
    items: items
      .filter(({ due, heldBack, soon }) => due + heldBack + soon > 0)
      .sort((a, b) => b.due - a.due || b.heldBack - a.heldBack || b.soon - a.soon),
  };
}

function describeBacklog({ lanes, dueSince: _, ...backlog }: Backlog, isPaused: boolean): TargetForecast {
  const eventType = [...new Set(lanes.map((lane) => lane.eventType))].slice(0, 100);
  const isProbed = !isPaused || !['down', 'probe'].includes(backlog.state);
  const state = isProbed ? {} : ({ state: 'down', until: null } as const);
  return { ...backlog, ...state, filter: { eventType, dueBefore: 'now' } };
}
