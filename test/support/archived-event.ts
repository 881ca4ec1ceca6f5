import { createArchivePartitions } from '../../shared/archive/archive-closed.ts';
import type { TestDatabase } from './database.ts';
import { anEvent, type EventColumns } from './factories.ts';

/** Terms of the archive under which `closedLongAgo` is moved. */
export const archiveTerms = { archiveAfterDays: 30, archiveUndecidedAfterDays: 0, sourceRetentionDays: 31 };

const old = '2026-01-15T00:00:00Z';

/** The columns of an event that was delivered months ago. */
export const closedLongAgo: EventColumns = {
  status: 'SUCCEEDED',
  created_at: old,
  first_failure_at: old,
  last_failure_at: old,
  processed_at: old,
};

/** Stores an archived event of a month, with an attempt. Returns its id. */
export async function anArchivedEvent(database: TestDatabase, monthsAgo: number): Promise<string> {
  const { db, sql } = database;
  const id = await anEvent(database, { status: 'SUCCEEDED' });
  await sql(
    `update dlq_events set created_at = now() - make_interval(months => $2), first_failure_at = '2020-01-01' where id = $1`,
    [id, monthsAgo],
  );
  await sql(
    `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
     values ($1, 1, 'delivered', 't', now(), 5)`,
    [id],
  );
  await createArchivePartitions(db, { ahead: 0 });
  await sql(
    `with moved as (delete from dlq_events returning *) insert into dlq_events_archive select * from moved`,
  );
  return id;
}
