import type { Database } from './database.ts';

/**
 * Whether the database accepts no changes: a replica, a primary that was demoted, or one that is read-only by
 * its settings.
 */
export async function isReadOnly(db: Database): Promise<boolean> {
  const text = "select current_setting('transaction_read_only') = 'on' as read_only";
  const { rows } = await db.query<{ readonly read_only: boolean }>({ text });
  return rows[0]?.read_only ?? false;
}
