import type pg from 'pg';

/** How to generate events, as SQL over their number `n`. Events of the same kind belong to one error group. */
type Generator = {
  readonly kind: string;
  readonly type: string;
  readonly period: string;
  readonly status: string;
};

// `n * 0` makes random() run for each row.
const history: Generator = {
  kind: 'floor(500 * random() ^ 3 + n * 0)::int',
  type: "'order.' || kind % 20",
  period: "interval '30 days'",
  status:
    "case when n % 50 = 0 then 'FAILED_PERMANENTLY' when n % 50 = 1 then 'DISCARDED' else 'SUCCEEDED' end",
};
const lastDay: Generator = {
  ...history,
  kind: 'n / 2 + 1000',
  period: "interval '1 day'",
  status: "'PENDING'",
};
const outage: Generator = {
  kind: '100000 + n % 3',
  type: "'payment.authorized'",
  period: "interval '1 hour'",
  status: "'PENDING'",
};

/**
 * Fills a database with a month of history: closed events in 500 error groups of very unequal size, of which 2 % failed
 * permanently, 2 % were discarded, a fifth has an attempt, and another fifth a copy in the archive; `open` events of the last
 * day, two per error group; an outage of `failing` payments, all due, which began an hour ago; and 20,000 actions of operators.
 */
export async function fillDatabase(
  client: pg.Client,
  { closed, open, failing }: { readonly closed: number; readonly open: number; readonly failing: number },
): Promise<void> {
  const step = 100_000;
  for (let from = 1; from <= closed; from += step) {
    await client.query(insertEvents(history), [from, Math.min(from + step - 1, closed), closed]);
  }
  await client.query(insertEvents(lastDay), [1, open, open]);
  await client.query(insertEvents(outage), [1, failing, failing]);
  await client.query(
    `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_status)
     select id, 1, 'delivered', 'http://shop/', processed_at, 12 + id % 80, 200 from dlq_events
     where status = 'SUCCEEDED' and id % 5 = 1 order by id;
     insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_status)
     select id, n, 'transient', case when event_type like 'order.%' then 'http://shop/' else 'http://psp/' end,
       now() - interval '1 hour' + n * interval '5 minutes', 12, 503
     from generate_series(1, 5) n, dlq_events where is_open`,
  );
  await client.query(
    `insert into dlq_breakers (target, state, opened_at, probe_after, cooldown_seconds)
     values ('http://psp/', 'OPEN', now() - interval '50 minutes', now() + interval '5 minutes', 300);
     insert into dlq_breakers (target, changes)
     select 'http://shop/', array_agg(now() - n * interval '7 hours' order by n) from generate_series(1, 100) n;
     insert into dlq_audit (at, actor, action, reason, event_id, details)
     select now() - interval '30 days' * (1 - n / 20000.0), 'operator-' || n % 12 || '@example.com',
       (array['discard', 'replay', 'unmask', 'reopen'])[1 + n % 4], 'Checked with the team of shop', n * 200, '{"events": 1}'
     from generate_series(1, 20000) n`,
  );
  await client.query(
    `select dlq_create_archive_partitions(1);
     create temporary table archived as select * from dlq_events where id % 5 = 0 and not is_open;
     update archived set id = id + 1000000000, event_key = 'archived:' || event_key;
     insert into dlq_events_archive select * from archived;
     drop table archived`,
  );
}

function insertEvents({ kind, type, period, status }: Generator): string {
  return `insert into dlq_events (event_type, payload, body, error_reason, error_class, error_stacktrace, created_at,
      first_failure_at, last_failure_at, status, processed_at, fingerprint, source_kind, source_topic, consumer_group, source_key,
      event_id, trace_id, retry_count)
    select ${type}, payload, convert_to(payload::text, 'UTF8'),
      'timed out after ' || n % 1000 || ' ms in step ' || kind, 'com.example.shop.TimeoutException',
      case when status = 'PENDING' then
        'com.example.shop.TimeoutException: step ' || kind || repeat(E'\\n\\tat com.example.shop.Step.run(Step.java:77)', 25) end,
      at, at, at, status, case when status <> 'PENDING' then at + interval '1 second' end,
      'v1:' || substr(md5(kind::text), 1, 16), 'pubsub', 'projects/shop/topics/orders-' || kind % 8, 'consumer-' || kind % 4,
      'customer-' || n % 300000, 'evt-' || kind || '-' || n, md5(kind || 'trace' || n), case status when 'PENDING' then 5 else 0 end
    from generate_series($1::int, $2::int) n
    cross join lateral (
      select ${kind} as kind, jsonb_build_object('orderId', 'ORD-' || n, 'amount', n % 9973, 'note', md5(n::text)) as payload,
        now() - ${period} * (1 - n::float / $3::int) as at, ${status} as status
    ) as event`;
}
