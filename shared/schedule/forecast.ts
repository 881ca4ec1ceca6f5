import * as v from 'valibot';
import type { RetryConfig } from '../config/retry.ts';
import type { Database } from '../database/database.ts';
import { count, described, listOf, textOrNull, time, timeOrNull } from '../response-values.ts';
import { BacklogSchema, listBacklogs } from './backlogs.ts';
import type { Snapshot } from './snapshot.ts';

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
  items: described(listOf(BacklogSchema), 'By target, the most due events first.'),
});

export type Forecast = Readonly<v.InferOutput<typeof ForecastSchema>>;

/**
 * Forecasts the next tick: the events that are due, by target, and what holds back the others whose time has
 * come.
 */
export async function forecast(
  { db, retry }: { readonly db: Database; readonly retry: RetryConfig<'console'> },
  snapshot: Snapshot,
): Promise<Forecast> {
  const { at, pause } = snapshot;
  const items = await listBacklogs(db, snapshot);
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
