import type { Database } from '../../../shared/database.ts';
import { statement } from '../../../shared/sql.ts';
import { type BriefRun, describeRun } from './describe-run.ts';

const listRows = statement<{ before: string; limit: number }, BriefRun>('list-runs');

const afterAll = '9223372036854775807';

/** Replays from the newest on, those before a run if asked. */
export async function listRuns(
  db: Database,
  { before = afterAll, limit }: { readonly before?: string | undefined; readonly limit: number },
): Promise<ReturnType<typeof describeRun>[]> {
  return (await listRows(db, { before, limit })).map(describeRun);
}
