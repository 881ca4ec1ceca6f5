import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type BriefRun, describeRun } from './describe-run.ts';

const listRows = statement<{ limit: number }, BriefRun>('list-open-runs', import.meta.url);

/** The newest replays that are running or paused. */
export async function listOpenRuns(
  db: Database,
  params: { readonly limit: number },
): Promise<ReturnType<typeof describeRun>[]> {
  return (await listRows(db, params)).map(describeRun);
}
