import type { Database } from './database.ts';

/**
 * Returns a check that runs a statement on no event: fails if the database cannot do it now, or if another
 * session keeps a table locked for half a second. Throws what Database.query throws.
 */
const probe = (work: string) => (db: Database) =>
  db.query({ text: `do $$ begin perform set_config('lock_timeout', '500ms', true); ${work}; end $$` });

/** Whether a function can do its work on events: read (a replica, too), settle, archive or store. */
export const probes = {
  reading: probe('perform from dlq_events where false'),
  settlement: probe('update dlq_events set status = status where false'),
  archiving: probe('delete from dlq_events where false'),
  capture: probe(`perform from dlq_capture_events(captures => '[]', bodies => '', repeat_seconds => 0)`),
};

/** Whether the database accepts no changes: a replica, a demoted primary, or one set to read only. */
export async function isReadOnly(db: Database): Promise<boolean> {
  const text = "select current_setting('transaction_read_only') = 'on' as read_only";
  const { rows } = await db.query<{ readonly read_only: boolean }>({ text });
  return rows[0]?.read_only ?? false;
}
