import type pg from 'pg';

/** How to generate events, as SQL over their number `n`. Events of the same kind belong to one error group. */
type Generator = { readonly kind: string; readonly period: string; readonly status: string };

// `n * 0` makes random() run for each row.
const history: Generator = {
  kind: 'floor(500 * random() ^ 3 + n * 0)::int',
  period: "interval '30 days'",
  status: "case when n % 50 = 0 then 'FAILED_PERMANENTLY' else 'SUCCEEDED' end",
};
const lastDay: Generator = { kind: 'n / 2 + 1000', period: "interval '1 day'", status: "'PENDING'" };

/**
 * Fills a database with a month of history: closed events in 500 error groups of very unequal size, 2 % of them failed
 * permanently, a fifth of them also copied to the archive; and open events of the last day, two per error group.
 */
export async function fillDatabase(
  client: pg.Client,
  { closed, open }: { readonly closed: number; readonly open: number },
): Promise<void> {
  const step = 100_000;
  for (let from = 1; from <= closed; from += step) {
    await client.query(insertEvents(history), [from, Math.min(from + step - 1, closed), closed]);
  }
  await client.query(insertEvents(lastDay), [1, open, open]);
  await client.query(
    `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_status)
     select id, n, 'transient', 'http://shop/', now(), 12, 503 from dlq_events, generate_series(1, 5) n where is_open`,
  );
  await client.query(
    `select dlq_create_archive_partitions(1);
     create temporary table archived as select * from dlq_events where id % 5 = 0 and not is_open;
     update archived set id = id + 1000000000, event_key = 'archived:' || event_key;
     insert into dlq_events_archive select * from archived;
     drop table archived`,
  );
}

function insertEvents({ kind, period, status }: Generator): string {
  return `insert into dlq_events (event_type, payload, body, error_reason, error_class, created_at, first_failure_at,
      last_failure_at, status, processed_at, fingerprint, source_kind, source_topic, consumer_group, source_key)
    select 'order.' || kind % 20, payload, convert_to(payload::text, 'UTF8'),
      'timed out after ' || n % 1000 || ' ms in step ' || kind, 'TimeoutError', at, at, at, status,
      case when status <> 'PENDING' then at + interval '1 second' end, 'v1:' || substr(md5(kind::text), 1, 16),
      'pubsub', 'projects/shop/topics/orders-' || kind % 8, 'consumer-' || kind % 4, 'customer-' || n % 300000
    from generate_series($1::int, $2::int) n
    cross join lateral (
      select ${kind} as kind, jsonb_build_object('orderId', n, 'note', md5(n::text)) as payload,
        now() - ${period} * (1 - n::float / $3::int) as at, ${status} as status
    ) as event`;
}
