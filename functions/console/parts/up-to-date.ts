import { catchUp } from '../../../shared/catch-up.ts';
import type { Database } from '../../../shared/database.ts';

/** PostgreSQL's word for a write to a replica that only reads. */
const readOnly = '25006';

/** Brings counts and error groups up to date before somebody looks at them; a replica gets them from its primary. */
export async function bringUpToDate(db: Database): Promise<void> {
  try {
    await catchUp(db);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === readOnly)) throw error;
  }
}
