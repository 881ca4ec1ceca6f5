import type { TestDatabase } from './database.ts';

export type EventColumns = Record<string, unknown>;

/** Stores one event, due since a minute, with any columns overridden; returns its id. */
export async function anEvent({ sql }: TestDatabase, columns: EventColumns = {}): Promise<string> {
  const row: EventColumns = {
    event_type: 'order.created',
    payload: '{"orderId": 1}',
    body: Buffer.from('{"orderId": 1}'),
    error_reason: 'timeout',
    source_kind: 'test',
    fingerprint: 'v1:0123456789abcdef',
    retry_after: new Date(Date.now() - 60_000),
    ...columns,
  };
  const names = Object.keys(row);
  const places = names.map((_, i) => `$${i + 1}`);
  const [stored] = await sql<{ id: string }>(
    `insert into dlq_events (${names}) values (${places}) returning id`,
    Object.values(row),
  );
  if (!stored) throw new Error('No row came back.');
  return stored.id;
}

/** Stores an event for each of these, in their order; returns the ids. */
export async function someEvents(database: TestDatabase, ...rows: EventColumns[]): Promise<string[]> {
  const ids: string[] = [];
  for (const row of rows) ids.push(await anEvent(database, row));
  return ids;
}

/**
 * Stores many events like `anEvent`, in one statement. Their id_hashes are those that PostgreSQL computes for
 * a row without them, at twice the time of the insertion.
 */
export async function manyEvents(
  { sql }: TestDatabase,
  count: number,
  eventType = 'order.created',
): Promise<void> {
  await sql(
    `insert into dlq_events (event_type, payload, body, error_reason, source_kind, retry_after, id_hashes)
     select $2, jsonb_build_object('n', n), convert_to(jsonb_build_object('n', n)::text, 'UTF8'), 'timeout', 'test',
       now() - interval '1 minute', ''
     from generate_series(1, $1::int) n`,
    [count, eventType],
  );
}

/** Stores many events whose body names their type. */
export async function typedEvents({ sql }: TestDatabase, count: number, eventType: string): Promise<void> {
  await sql(
    `insert into dlq_events (event_type, payload, error_reason, source_kind, retry_after, id_hashes)
     select $2, jsonb_build_object('type', $2::text, 'n', n), 'timeout', 'test', now() - interval '1 minute', ''
     from generate_series(1, $1::int) n`,
    [count, eventType],
  );
}
