import type pg from 'pg';

const types = [
  'order.created',
  'order.paid',
  'order.shipped',
  'invoice.created',
  'user.updated',
  'payment.failed',
  'mail.sent',
];

/** Fills dlq_events with a month of history: 96.5 % delivered, 2 % failed permanently, 1 % waiting, 0.5 % discarded. */
export async function fillHistory(client: pg.Client, events: number): Promise<void> {
  const step = 250_000;
  for (let from = 1; from <= events; from += step) {
    await client.query(
      `insert into dlq_events (event_type, payload, body, headers, error_reason, error_class, created_at, first_failure_at,
         last_failure_at, status, processed_at, fingerprint, source_kind, source_topic, consumer_group, source_key,
         event_id, trace_id)
       select ($1::text[])[1 + least(${types.length - 1}, floor(-ln(random()) * 2))::int],
         jsonb_build_object('orderId', n, 'customerId', n % 50000, 'note', md5(n::text)),
         convert_to(format('{"orderId":%s,"note":"%s"}', n, md5(n::text)), 'UTF8'), '{"content-type": "application/json"}',
         'timed out #' || n % 1000, 'com.shop.TimeoutException', at, at, at, status,
         case when status <> 'PENDING' then at end, md5(floor(random() * random() * 500)::text), 'pubsub',
         'projects/p/topics/' || n % 8, 'group-' || n % 4, 'customer-' || n::bigint * 7919 % 300000, 'evt-' || n, md5('t' || n)
       from generate_series($2::int, $3::int) n
       cross join lateral (select now() - interval '30 days' * (1 - n::float / $4) as at, random() as dice offset n * 0) as row
       cross join lateral (
         select case when dice < 0.965 then 'SUCCEEDED' when dice < 0.985 then 'FAILED_PERMANENTLY'
           when dice < 0.99 then 'DISCARDED' else 'PENDING' end as status
       ) as state`,
      [types, from, Math.min(from + step - 1, events), events],
    );
  }
  await client.query('vacuum analyze dlq_events');
}
