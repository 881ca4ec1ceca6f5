import type { Database } from '../../../shared/database.ts';
import { largestId } from '../../../shared/largest-id.ts';
import { statement } from '../../../shared/sql.ts';
import { type BriefRun, describeRun } from './describe-run.ts';

const listRows = statement<{ before: string; limit: number }, BriefRun>('list-runs');

/** Replays from the newest on, those before a run if asked. */
export async function listRuns(
  db: Database,
  { before = largestId, limit }: { readonly before?: string | undefined; readonly limit: number },
): Promise<ReturnType<typeof describeRun>[]> {
  return (await listRows(db, { before, limit })).map(describeRun);
}
