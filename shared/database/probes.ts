import type { Database } from './database.ts';

/**
 * Returns a check that runs a statement on no event: fails if the database cannot do it now, such as a
 * read-only one or one with the schema of another version, or if another session keeps a table locked for
 * half a second. Throws what Database.query throws.
 */
const probe = (work: string) => (db: Database) =>
  db.query({ text: `do $$ begin perform set_config('lock_timeout', '500ms', true); ${work}; end $$` });

/** Whether events can be read. Works on a replica. */
export const probeReading = probe('perform from dlq_events where false');

/** Whether deliveries can be settled. */
export const probeSettlement = probe('update dlq_events set status = status where false');

/** Whether events can be archived. */
export const probeArchiving = probe('delete from dlq_events where false');

/** Whether captures can be stored. */
export const probeAccess = probe(
  `perform from dlq_capture_events(captures => '[]', bodies => '', repeat_seconds => 0)`,
);
