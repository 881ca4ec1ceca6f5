import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** Cost of one captured event for the database: CPU time and write-ahead log. */
export type Cost = { readonly microseconds: number; readonly walBytes: number };

const batches = 400;
const batchSize = 50;

const capture = {
  name: 'capture',
  text: `insert into dlq_events (event_key, event_type, payload, body, headers, error_reason, error_class, fingerprint,
      source_kind, source_topic, consumer_group, source_key, event_id, trace_id)
    select 'id:' || gen_random_uuid(), 'order.created',
      jsonb_build_object('orderId', n, 'customerId', floor(random() * 50000), 'note', md5(random()::text)),
      convert_to(repeat('x', 300), 'UTF8'), '{"content-type": "application/json"}', 'timed out', 'com.shop.TimeoutException',
      md5(floor(random() * random() * 500)::text), 'pubsub', 'projects/p/topics/1', 'group-1',
      'customer-' || floor(random() * 300000), gen_random_uuid(), md5(random()::text)
    from generate_series(1, ${batchSize}) n`,
};

/** Captures in a transaction in which only these indexes are there, and takes all of it back. */
export async function measureCaptures(client: pg.Client, dropped: readonly string[]): Promise<Cost> {
  await client.query('checkpoint');
  await client.query('begin');
  for (const index of dropped) await client.query(`drop index ${index}`);
  for (let i = 0; i < batches / 10; i++) await client.query(capture);
  const before = await read(client);
  for (let i = 0; i < batches; i++) await client.query(capture);
  const after = await read(client);
  await client.query('rollback');
  const events = batches * batchSize;
  return {
    microseconds: (after.microseconds - before.microseconds) / events,
    walBytes: (after.walBytes - before.walBytes) / events,
  };
}

/** Processor time of the session's own process, which runs on this machine, and the log written so far. */
async function read(client: pg.Client): Promise<Cost> {
  const { rows } = await client.query<{ pid: number; wal: string }>(
    `select pg_backend_pid() as pid, pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal`,
  );
  const { pid, wal } = rows[0] ?? { pid: 0, wal: '0' };
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const ticks = fields.split(' ').slice(11, 13).map(Number);
  return { microseconds: ticks.reduce((sum, each) => sum + each, 0) * 10_000, walBytes: Number(wal) };
}
