import type { TestDatabase } from './database.ts';

const statuses = `
  count(*) filter (where status = 'PENDING')::int as pending,
  count(*) filter (where status = 'PROCESSING')::int as processing,
  count(*) filter (where status = 'SUCCEEDED')::int as succeeded,
  count(*) filter (where status = 'FAILED_PERMANENTLY')::int as failed_permanently,
  count(*) filter (where status = 'DISCARDED')::int as discarded`;

/** What the office says it has, and what a walk over all events finds, in the same form. */
export async function compareDepths({ sql }: TestDatabase): Promise<{ told: unknown[]; found: unknown[] }> {
  const told = await sql(
    `select event_type, fingerprint, pending::int, processing::int, succeeded::int, failed_permanently::int, discarded::int
     from dlq_depths
     where (pending, processing, succeeded, failed_permanently, discarded) <> (0, 0, 0, 0, 0)
     order by event_type, fingerprint`,
  );
  const found = await sql(
    `select event_type, coalesce(fingerprint, '') as fingerprint, ${statuses}
     from dlq_events group by 1, 2 order by 1, 2`,
  );
  return { told, found };
}

/** The same for the ends of leases. */
export async function compareLeases({ sql }: TestDatabase): Promise<{ told: unknown[]; found: unknown[] }> {
  return {
    told: await sql('select lease_expires_at, events::int from dlq_lease_ends order by 1'),
    found: await sql(
      `select lease_expires_at, count(*)::int as events
       from dlq_events where lease_expires_at is not null group by 1 order by 1`,
    ),
  };
}

/** What happened so far, of all hours. */
export async function sumHours({ sql }: TestDatabase): Promise<Record<string, number>> {
  const [row] = await sql<Record<string, number>>(
    `select sum(captures)::int as captures, sum(returns)::int as returns, sum(retry_failures)::int as retry_failures,
       sum(deliveries)::int as deliveries, sum(permanent_failures)::int as permanent_failures,
       sum(discards)::int as discards
     from dlq_hours`,
  );
  return row ?? {};
}
