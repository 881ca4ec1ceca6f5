import type { Database } from '../../../shared/database.ts';
import { ConflictError, NotFoundError } from '../../../shared/errors.ts';
import { statement } from '../../../shared/sql.ts';
import { findRun, type Run } from './run.ts';

/** Who wants it, and why. */
export type Act = { readonly runId: string; readonly actor: string; readonly reason: string | null };

type Changed = { readonly id: string };

const pauseRun = statement<Act & { because: string }, Changed>('pause-run');
const resumeRun = statement<Act, Changed>('resume-run');
const cancelRun = statement<Act, Changed>('cancel-run');

const acts = {
  pause: (db: Database, act: Act) =>
    pauseRun(db, { ...act, because: `Paused by ${act.actor}${act.reason ? `: ${act.reason}` : '.'}` }),
  resume: resumeRun,
  cancel: cancelRun,
};

export type Change = keyof typeof acts;

export const changes = Object.keys(acts) as Change[];

/**
 * Pauses, resumes or cancels a run; workers obey from their next claim on. Where it is so already nothing is done. Throws
 * NotFoundError, and ConflictError where the run has ended otherwise.
 */
export async function changeRun(db: Database, change: Change, act: Act): Promise<Run> {
  const [changed] = await acts[change](db, act);
  const run = await getRun(db, act.runId);
  if (!changed && !isSo(run, change)) {
    throw new ConflictError(`Run ${run.id} has ended (${run.stopped}): there is nothing left to ${change}.`);
  }
  return run;
}

/** Throws NotFoundError. */
export async function getRun(db: Database, runId: string): Promise<Run> {
  const [run] = await findRun(db, { runId });
  if (run) return run;
  throw new NotFoundError(`There is no run ${runId}.`);
}

function isSo({ ended_at, stopped }: Run, change: Change): boolean {
  return change === 'cancel' ? stopped === 'cancelled' : ended_at === null;
}
