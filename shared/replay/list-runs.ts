import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { maxBigint } from '../events/event-id.ts';
import { type BriefRun, describeRun } from './describe-run.ts';

const listAll = statement<{ before: string; limit: number }, BriefRun>('list-runs', import.meta.url);
const listOpen = statement<{ limit: number }, BriefRun>('list-open-runs', import.meta.url);

/** Lists replays, newest first, optionally only those older than a run. */
export async function listRuns(
  db: Database,
  { before = maxBigint, limit }: { readonly before?: string | undefined; readonly limit: number },
): Promise<ReturnType<typeof describeRun>[]> {
  return (await listAll(db, { before, limit })).map(describeRun);
}

/** The newest replays that are running or paused. */
export async function listOpenRuns(
  db: Database,
  params: { readonly limit: number },
): Promise<ReturnType<typeof describeRun>[]> {
  return (await listOpen(db, params)).map(describeRun);
}
