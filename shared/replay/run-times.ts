import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Run } from './run.ts';

const endRun = statement<{ runId: string; stopped: string }, never>('end-run', import.meta.url);

/** Whether the time at which a run starts has not come. */
export function isScheduled(
  { endedAt, rollout: { startAt } }: Pick<Run, 'endedAt' | 'rollout'>,
  now: Date,
): boolean {
  return endedAt === null && startAt !== undefined && Date.parse(startAt) > now.getTime();
}

/** Why a run delivers nothing at this time, if so; ends one whose time is over. */
export async function stopByTime(db: Database, run: Run): Promise<'not yet' | 'ended' | undefined> {
  const now = new Date();
  const { notAfter } = run.rollout;
  if (notAfter !== undefined && Date.parse(notAfter) <= now.getTime()) {
    await endRun(db, { runId: run.id, stopped: 'time over' });
    return 'ended';
  }
  return isScheduled(run, now) ? 'not yet' : undefined;
}
