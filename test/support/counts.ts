import type { TestDatabase } from './database.ts';

const statuses = `
  count(*) filter (where status = 'PENDING')::int as pending,
  count(*) filter (where status = 'PROCESSING')::int as processing,
  count(*) filter (where status = 'SUCCEEDED')::int as succeeded,
  count(*) filter (where status = 'FAILED_PERMANENTLY')::int as failed_permanently,
  count(*) filter (where status = 'DISCARDED')::int as discarded`;

type Comparison = { readonly told: unknown[]; readonly found: unknown[] };

async function compare(telling: Promise<unknown[]>, finding: Promise<unknown[]>): Promise<Comparison> {
  return { told: await telling, found: await finding };
}

/** What the office says it has, and what a walk over all events finds, in the same form. */
export function compareDepths({ sql }: TestDatabase): Promise<Comparison> {
  const told = sql(
    `select event_type, fingerprint, pending::int, processing::int, succeeded::int, failed_permanently::int, discarded::int
     from dlq_depths
     where (pending, processing, succeeded, failed_permanently, discarded) <> (0, 0, 0, 0, 0)
     order by event_type, fingerprint`,
  );
  const found = sql(
    `select event_type, coalesce(fingerprint, '') as fingerprint, ${statuses}
     from dlq_events group by 1, 2 order by 1, 2`,
  );
  return compare(told, found);
}

/** The same for the ends of leases. */
export function compareLeases({ sql }: TestDatabase): Promise<Comparison> {
  return compare(
    sql('select lease_expires_at, events::int from dlq_lease_ends order by 1'),
    sql(
      `select lease_expires_at, count(*)::int as events
       from dlq_events where lease_expires_at is not null group by 1 order by 1`,
    ),
  );
}

/** What happened in each hour to all events together, by the sums of it and by those of each type and error group. */
export function compareHours({ sql }: TestDatabase): Promise<Comparison> {
  const columns = 'captures, returns, retry_failures, deliveries, permanent_failures, discards';
  const sums = columns.replaceAll(/\w+/g, 'sum($&)::int as $&');
  return compare(
    sql(`select hour, ${columns.replaceAll(/\w+/g, '$&::int')} from dlq_hour_counts order by hour`),
    sql(`select hour, ${sums} from dlq_counts group by hour order by hour`),
  );
}

/** How often each error group failed on each day, in the same way. */
export function compareDays({ sql }: TestDatabase): Promise<Comparison> {
  return compare(
    sql('select day, fingerprint, failures::int from dlq_day_counts where failures <> 0 order by 1, 2'),
    sql(
      `select date_trunc('day', hour, 'UTC') as day, fingerprint, sum(captures + returns)::int as failures
       from dlq_counts group by 1, 2 having sum(captures + returns) <> 0 order by 1, 2`,
    ),
  );
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
