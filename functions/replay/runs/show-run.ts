import type { Database } from '../../../shared/database.ts';
import { statement } from '../../../shared/sql.ts';
import { describeRun, stateOf } from './describe-run.ts';
import type { Run } from './run.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

type Sum = {
  readonly outcome: 'delivered' | 'failed' | 'skipped';
  readonly reason: string | null;
  readonly events: number;
  readonly came_back: number;
  readonly quiet: number;
};

const sumRun = statement<{ runId: string }, Sum>('sum-run');

/** A run with everything that there is to say about it. */
export async function showRun(db: Database, run: Run, now: Date) {
  const sums = await sumRun(db, { runId: run.id });
  const reasonsOf = (outcome: Sum['outcome']) => sums.filter((sum) => sum.outcome === outcome);
  const delivered = reasonsOf('delivered')[0];
  const cameBack = delivered?.came_back ?? 0;
  const quiet = delivered?.quiet ?? 0;
  return {
    ...describeRun(run),
    selectionHash: run.selection_hash,
    leftOut: run.left_out,
    pace: run.pace,
    patch: run.patch === null ? null : JSON.parse(run.patch),
    idempotencyKey: run.idempotency_key,
    ...measureSpeed(run, now),
    failedBecause: Object.fromEntries(reasonsOf('failed').map(({ reason, events }) => [reason, events])),
    skippedBecause: reasonsOf('skipped').map(({ reason, events }) => ({
      reason,
      events,
      meaning: skipReasons[reason as SkipReason],
    })),
    verified: {
      cameBack,
      quiet,
      delivered: (delivered?.events ?? 0) - cameBack - quiet,
      watchSeconds: run.watch_seconds,
    },
  };
}

/** Deliveries per second since the run began or was resumed, and when it will be done if it goes on like that. */
function measureSpeed(run: Run, now: Date): { ratePerSecond: number | null; doneAt: Date | null } {
  const seconds = (now.getTime() - run.leg_began_at.getTime()) / 1000;
  if (stateOf(run) !== 'running' || run.done_in_leg === 0 || seconds <= 0)
    return { ratePerSecond: null, doneAt: null };
  const ratePerSecond = run.done_in_leg / seconds;
  return { ratePerSecond, doneAt: new Date(now.getTime() + (run.waiting / ratePerSecond) * 1000) };
}
