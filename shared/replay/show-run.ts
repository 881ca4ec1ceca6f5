import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { count, described, object, text, textOrNull, timeOrNull } from '../events/response-values.ts';
import { describeRun, RunSchema } from './list-runs.ts';
import type { Run } from './run.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

const counts = v.record(v.string(), count);

/** A run in full. */
export const RunDetailSchema = v.strictObject({
  ...RunSchema.entries,
  selectionHash: described(text, 'SHA-256 of the selected ids in order, separated by commas.'),
  excluded: described(counts, 'Events that matched and were not selected, by reason.'),
  rollout: described(object, 'Ramp, canary, rate and gate.'),
  patch: described(v.nullable(v.array(v.unknown())), 'The JSON Patch that applies to every event.'),
  idempotencyKey: textOrNull,
  ratePerSecond: described(
    v.nullable(v.number()),
    'Deliveries per second since it began or was last resumed.',
  ),
  doneAt: described(timeOrNull, 'The expected end at this rate.'),
  failedBecause: described(
    counts,
    'Failed events by kind of outcome; an event has the response of its target.',
  ),
  skippedBecause: v.array(v.strictObject({ reason: textOrNull, events: count, meaning: text })),
  verified: described(
    v.strictObject({ recurred: count, quiet: count, delivered: count }),
    'Delivered events that failed at their consumer again, that did not for 24 hours, and all others.',
  ),
});

type Sum = {
  readonly outcome: 'delivered' | 'failed' | 'skipped';
  readonly reason: string | null;
  readonly events: number;
  readonly recurred: number;
  readonly quiet: number;
};

const sumRun = statement<{ runId: string }, Sum>('sum-run', import.meta.url);

/** Returns a run with its outcomes by reason, its speed and its recurrences. */
export async function showRun(db: Database, run: Run, now: Date) {
  const sums = await sumRun(db, { runId: run.id });
  const reasonsOf = (outcome: Sum['outcome']) => sums.filter((sum) => sum.outcome === outcome);
  const [{ recurred, quiet, events: delivered } = { recurred: 0, quiet: 0, events: 0 }] =
    reasonsOf('delivered');
  const brief = describeRun(run);
  return {
    ...brief,
    selectionHash: run.selectionHash,
    excluded: run.excluded,
    rollout: run.rollout,
    patch: run.patch === null ? null : JSON.parse(run.patch),
    idempotencyKey: run.idempotencyKey,
    ...(brief.state === 'running' ? measureSpeed(run, now) : unknownSpeed),
    failedBecause: Object.fromEntries(reasonsOf('failed').map(({ reason, events }) => [reason, events])),
    skippedBecause: reasonsOf('skipped').map(({ reason, events }) => ({
      reason,
      events,
      meaning: skipReasons[reason as SkipReason],
    })),
    verified: { recurred, quiet, delivered: delivered - recurred - quiet },
  };
}

const unknownSpeed = { ratePerSecond: null, doneAt: null };

/** Returns the deliveries per second since the run was started or resumed, and when it is done at that speed. */
function measureSpeed({ doneInStage, stageBeganAt, waiting }: Run, now: Date) {
  const seconds = (now.getTime() - stageBeganAt.getTime()) / 1000;
  if (doneInStage === 0 || seconds <= 0) return unknownSpeed;
  const ratePerSecond = doneInStage / seconds;
  return { ratePerSecond, doneAt: new Date(now.getTime() + (waiting / ratePerSecond) * 1000) };
}
