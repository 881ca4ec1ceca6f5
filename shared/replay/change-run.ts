import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import { log } from '../log.ts';
import { findRun, type Run } from './run.ts';

/** A change of a run by an operator. */
export type Action = { readonly runId: string; readonly actor: string; readonly reason: string | null };

export const changes = ['pause', 'resume', 'cancel'] as const;

export type Change = (typeof changes)[number];

/** Returns no row for a run that is in that state already, or has ended. */
const update = statement<
  Action & { readonly change: Change; readonly because: string | null },
  { readonly id: string }
>('change-run', import.meta.url);

/**
 * Pauses, resumes or cancels a run from the workers' next claim on. Does nothing if the run is in that state
 * already. Throws NotFoundError, and ConflictError if the run has ended in another way.
 */
export async function changeRun(db: Database, change: Change, action: Action): Promise<Run> {
  const { actor, reason } = action;
  const because = change === 'pause' ? `Paused by ${actor}${reason ? `: ${reason}` : '.'}` : null;
  const [changed] = await update(db, { ...action, change, because });
  if (changed) log('INFO', `replay changed: ${change}`, { action: `${change}-run`, runId: action.runId });
  const run = await getRun(db, action.runId);
  if (!changed && !isInEffect(run, change)) {
    throw new ConflictError(`Run ${run.id} has ended (${run.stopped}): there is nothing left to ${change}.`);
  }
  return run;
}

/** Returns a run. Throws NotFoundError. */
export async function getRun(db: Database, runId: string): Promise<Run> {
  const [run] = await findRun(db, { runId });
  if (run) return run;
  throw new NotFoundError(`There is no run ${runId}.`);
}

function isInEffect({ endedAt, stopped }: Run, change: Change): boolean {
  return change === 'cancel' ? stopped === 'cancelled' : endedAt === null;
}
