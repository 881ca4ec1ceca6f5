import type { Database } from '../../shared/database/database.ts';
import { isReadOnly } from '../../shared/database/is-read-only.ts';
import { refreshGroups } from '../../shared/groups/refresh-groups.ts';

/** Refreshes counts and error groups before a page shows them, unless the database is a replica: the primary does it there. */
export async function refreshUnlessReplica(db: Database): Promise<void> {
  if (!(await isReadOnly(db))) await refreshGroups(db);
}
