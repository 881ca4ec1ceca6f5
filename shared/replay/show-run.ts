import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { describeRun, stateOf } from './describe-run.ts';
import type { Run } from './run.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

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
  const delivered = reasonsOf('delivered')[0];
  const recurred = delivered?.recurred ?? 0;
  const quiet = delivered?.quiet ?? 0;
  return {
    ...describeRun(run),
    selectionHash: run.selectionHash,
    excluded: run.excluded,
    rollout: run.rollout,
    patch: run.patch === null ? null : JSON.parse(run.patch),
    idempotencyKey: run.idempotencyKey,
    ...measureSpeed(run, now),
    failedBecause: Object.fromEntries(reasonsOf('failed').map(({ reason, events }) => [reason, events])),
    skippedBecause: reasonsOf('skipped').map(({ reason, events }) => ({
      reason,
      events,
      meaning: skipReasons[reason as SkipReason],
    })),
    verified: {
      recurred,
      quiet,
      delivered: (delivered?.events ?? 0) - recurred - quiet,
      watchSeconds: run.watchSeconds,
    },
  };
}

/** Returns the deliveries per second since the run was started or resumed, and when it is done at that speed. */
function measureSpeed(run: Run, now: Date): { ratePerSecond: number | null; doneAt: Date | null } {
  const seconds = (now.getTime() - run.stageBeganAt.getTime()) / 1000;
  if (stateOf(run) !== 'running' || run.doneInStage === 0 || seconds <= 0)
    return { ratePerSecond: null, doneAt: null };
  const ratePerSecond = run.doneInStage / seconds;
  return { ratePerSecond, doneAt: new Date(now.getTime() + (run.waiting / ratePerSecond) * 1000) };
}
