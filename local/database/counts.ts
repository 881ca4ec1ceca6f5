import type pg from 'pg';

export type Counts = Readonly<Record<string, number>>;

/** Counts events by status. */
export async function countEvents(pool: pg.Pool): Promise<Counts> {
  const { rows } = await pool.query<{ status: string; events: number }>(
    'select status, count(*)::int as events from dlq_events group by status',
  );
  return Object.fromEntries(rows.map(({ status, events }) => [status, events]));
}

/** Returns the id of the latest event that failed permanently, if there is one. */
export async function findFailedEvent(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    "select id from dlq_events where status = 'FAILED_PERMANENTLY' order by id desc limit 1",
  );
  return rows[0]?.id;
}
