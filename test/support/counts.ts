import type { TestDatabase } from './database.ts';
import { readStatement } from './statements.ts';

const statuses = `
  count(*) filter (where status = 'PENDING')::int as pending,
  count(*) filter (where status = 'PROCESSING')::int as processing,
  count(*) filter (where status = 'SUCCEEDED')::int as succeeded,
  count(*) filter (where status = 'FAILED_PERMANENTLY')::int as failed_permanently,
  count(*) filter (where status = 'DISCARDED')::int as discarded`;

type Comparison = { readonly reported: unknown[]; readonly found: unknown[] };

async function compare(reporting: Promise<unknown[]>, finding: Promise<unknown[]>): Promise<Comparison> {
  return { reported: await reporting, found: await finding };
}

/** Reads the current counts, and counts all events, in the same form. */
export function compareDepths({ sql }: TestDatabase): Promise<Comparison> {
  const reported = sql(
    `select event_type, fingerprint, pending::int, processing::int, succeeded::int, failed_permanently::int, discarded::int
     from dlq_depths
     order by event_type, fingerprint`,
  );
  const found = sql(
    `select event_type, coalesce(fingerprint, '') as fingerprint, ${statuses}
     from dlq_events group by 1, 2 order by 1, 2`,
  );
  return compare(reported, found);
}

/** Measures the expired leases, and counts the events that have one. */
export function compareLeases({ sql }: TestDatabase): Promise<Comparison> {
  const measure = readStatement('measure-leases').replace(/;\s*$/, '');
  return compare(
    sql(`select expired_leases::int from (${measure}) as measured`),
    sql('select count(*)::int as expired_leases from dlq_events where lease_expires_at <= now()'),
  );
}

/** Reads what happened so far by type and error group, and adds it up from all hours. */
export function compareHours({ sql }: TestDatabase): Promise<Comparison> {
  const columns = [
    'captures',
    'recurrences',
    'retry_failures',
    'deliveries',
    'permanent_failures',
    'discards',
  ];
  const read = (when: string) =>
    sql(
      `select event_type, fingerprint, ${columns.map((each) => `sum(${each})::int as ${each}`)} from dlq_counts_exact where ${when}
       group by 1, 2 having ${columns.map((each) => `sum(${each}) <> 0`).join(' or ')} order by 1, 2`,
    );
  return compare(read('hour is null'), read('hour is not null'));
}

/** Reads the hours, types and error groups of which less than nothing happened: there are none. */
export function compareWithZero({ sql }: TestDatabase): Promise<Comparison> {
  const reported = sql(
    `select * from dlq_counts_by_hour
     where least(captures, recurrences, retry_failures, deliveries, permanent_failures, discards) < 0`,
  );
  return compare(reported, Promise.resolve([]));
}

/** Reads what happened in all by hour, and adds it up from all error groups. */
export function compareTotals({ sql }: TestDatabase): Promise<Comparison> {
  const read = (view: string) =>
    sql(
      `select
         hour, sum(failures)::int as failures, sum(deliveries)::int as deliveries,
         sum(discards)::int as discards
       from ${view} where hour is not null
       group by 1 having sum(failures) <> 0 or sum(deliveries) <> 0 or sum(discards) <> 0 order by 1`,
    );
  return compare(read('dlq_counts_totals'), read('dlq_counts_exact'));
}

/** Reads the counts of now by type and in all, and adds them up from all error groups. */
export function compareTypes({ sql }: TestDatabase): Promise<Comparison> {
  const columns = ['pending', 'processing', 'succeeded', 'failed_permanently', 'captures', 'deliveries'];
  const read = (view: string, grouping: string) =>
    sql(
      `select event_type, ${columns.map((each) => `sum(${each})::int as ${each}`)} from ${view} where hour is null
       group by ${grouping} having count(*) > 0 order by 1`,
    );
  return compare(
    read('dlq_counts_totals', 'event_type'),
    read('dlq_counts_exact', 'grouping sets ((event_type), ())'),
  );
}

/** Sums the counts of all hours. */
export async function sumHours({ sql }: TestDatabase): Promise<Record<string, number>> {
  const [row] = await sql<Record<string, number>>(
    `select sum(captures)::int as captures, sum(recurrences)::int as recurrences, sum(retry_failures)::int as retry_failures,
       sum(deliveries)::int as deliveries, sum(permanent_failures)::int as permanent_failures,
       sum(discards)::int as discards
     from dlq_counts_by_hour`,
  );
  return row ?? {};
}
