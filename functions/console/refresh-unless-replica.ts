import type { Database } from '../../shared/database/database.ts';
import { refreshGroups } from '../../shared/groups/refresh-groups.ts';

/** read_only_sql_transaction: the database is a replica, whose groups and counts the primary refreshes. */
const readOnly = '25006';

/** Refreshes counts and error groups before a page shows them, unless the database is a replica. */
export async function refreshUnlessReplica(db: Database): Promise<void> {
  try {
    await refreshGroups(db);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === readOnly)) throw error;
  }
}
