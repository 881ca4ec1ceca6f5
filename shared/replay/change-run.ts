import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import { log } from '../log.ts';
import { findRun, type Run } from './run.ts';

/** A change of a run by an operator. */
export type Action = { readonly runId: string; readonly actor: string; readonly reason: string | null };

type Changed = { readonly id: string };

const pauseRun = statement<Action & { because: string }, Changed>('pause-run', import.meta.url);
const resumeRun = statement<Action, Changed>('resume-run', import.meta.url);
const cancelRun = statement<Action, Changed>('cancel-run', import.meta.url);

const actions = {
  pause: (db: Database, action: Action) =>
    pauseRun(db, {
      ...action,
      because: `Paused by ${action.actor}${action.reason ? `: ${action.reason}` : '.'}`,
    }),
  resume: resumeRun,
  cancel: cancelRun,
};

export type Change = keyof typeof actions;

export const changes = Object.keys(actions) as Change[];

/**
 * Pauses, resumes or cancels a run from the workers' next claim on. Does nothing if the run is in that state
 * already. Throws NotFoundError, and ConflictError if the run has ended in another way.
 */
export async function changeRun(db: Database, change: Change, action: Action): Promise<Run> {
  const [changed] = await actions[change](db, action);
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
