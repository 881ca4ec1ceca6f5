// The two hot paths, capture and drain, run against one layout.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Event } from './events.ts';
import type { Layout } from './layouts.ts';
import { capture, claim, settle } from './statements.ts';

export interface Cost {
  seconds: number;
  walBytes: number;
}

export async function createLayout(client: pg.Client, layout: Layout): Promise<void> {
  await client.query(`DROP SCHEMA IF EXISTS ${layout.schema} CASCADE; CREATE SCHEMA ${layout.schema}`);
  for (const statement of layout.create) await client.query(statement);
}

export async function empty(client: pg.Client, layout: Layout): Promise<void> {
  await client.query(`TRUNCATE dlq_attempts, ${layout.split ? 'dlq_facts, dlq_states' : 'dlq_events'}`);
}

export async function captureAll(
  client: pg.Client,
  layout: Layout,
  events: Event[],
  batch: number,
): Promise<void> {
  const text = capture(layout);
  for (let at = 0; at < events.length; at += batch) {
    const rows = events
      .slice(at, at + batch)
      .map((event) => ({ ...event, body: event.body.toString('base64') }));
    await client.query({ name: 'capture', text, values: [JSON.stringify(rows)] });
  }
}

/** Claims and settles until nothing is due: four of five succeed, the fifth waits an hour. Returns how many were claimed. */
export async function drain(
  client: pg.Client,
  layout: Layout,
  withAttempts: boolean,
  batch = 500,
): Promise<number> {
  const claimText = claim(layout);
  const settleText = settle(layout, withAttempts);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  for (let total = 0; ; ) {
    const lease = randomUUID();
    const claimed = await client.query({ name: 'claim', text: claimText, values: [batch, lease] });
    if (claimed.rows.length === 0) return total;
    const outcomes = claimed.rows.map(({ id }, n) =>
      n % 5 === 0
        ? {
            id,
            lease_token: lease,
            status: 'PENDING',
            retry_after: later,
            error_reason: 'still 503 from the catalog',
          }
        : { id, lease_token: lease, status: 'SUCCEEDED' },
    );
    const settled = await client.query({
      name: `settle ${withAttempts}`,
      text: settleText,
      values: [JSON.stringify(outcomes)],
    });
    if (settled.rowCount !== claimed.rows.length)
      throw new Error(`${layout.name}: settled ${settled.rowCount} of ${claimed.rows.length}`);
    total += claimed.rows.length;
  }
}

export async function costOf(client: pg.Client, work: () => Promise<unknown>): Promise<Cost> {
  const before = await walPosition(client);
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  return { seconds, walBytes: (await walPosition(client)) - before };
}

async function walPosition(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS position`);
  return Number(rows[0].position);
}

/** Updates so far on the table that changes state, and how many of them were heap-only. */
export async function updateCounts(
  clients: pg.Client[],
  layout: Layout,
): Promise<{ updates: number; hot: number }> {
  for (const client of clients) await client.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await (clients[0] as pg.Client).query(
    'SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = $2',
    [layout.schema, layout.stateTable],
  );
  return rows[0];
}

/** Bytes of heap, of out-of-line values and of indexes, over all tables of the layout but the attempts. */
export async function sizeOf(
  client: pg.Client,
  layout: Layout,
): Promise<{ heap: number; toast: number; indexes: number }> {
  const { rows } = await client.query(
    `SELECT sum(pg_relation_size(oid))::float AS heap, sum(pg_indexes_size(oid))::float AS indexes,
       sum(coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0))::float AS toast
     FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname <> 'dlq_attempts'`,
    [layout.schema],
  );
  return rows[0];
}
