import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { type TestDatabase, useDatabase } from '../../support/database.ts';
import type { Fixture } from '../../support/envelopes.ts';
import { anEvent } from '../../support/factories.ts';
import { toInbound } from '../../support/fixture-request.ts';
import { readAll } from '../../support/read-capture.ts';
import { readBodies } from '../../support/stored-bodies.ts';

const folder = path.resolve(import.meta.dirname, '../../fixtures/envelopes');
const fixtures = readdirSync(folder).map(
  (file): Fixture => JSON.parse(readFileSync(path.join(folder, file), 'utf8')),
);

/** Events as maintain exports them (shared/archive/read-archived.sql). */
async function exportEvents({ sql }: TestDatabase): Promise<string[]> {
  const rows = await sql<{ line: string }>(
    `select jsonb_build_object('event', to_jsonb(event), 'attempts', (
       select coalesce(jsonb_agg(to_jsonb(attempt) order by attempt.id), '[]') from dlq_attempts as attempt
       where attempt.event_id = event.id))::text as line
     from dlq_events as event order by id`,
  );
  return rows.map(({ line }) => line);
}

describe('an export of another deployment', () => {
  const other = useDatabase();
  const here = useDatabase();
  const limits = { repeatSeconds: 600 };
  const importLines = (lines: readonly string[]) =>
    storeCaptures(
      { db: here().db, ...limits },
      readAll(lines.join('\n'), { 'content-type': 'application/x-ndjson' }),
    );
  beforeEach(async () => {
    for (const database of [other(), here()]) await database.clear('dlq_events', 'dlq_attempts');
  });

  // A message without an id is known by its export.
  const carried = `case when event_key !~ '^(sha256:|delivery:/:export:)' then event_key end as event_key, event_id, event_type, payload, body, payload_encoding, printed_as, content_type, is_exact,
    headers, error_reason, error_class, error_stacktrace, source_kind, source_topic, source_partition, source_offset,
    source_key, source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id, occurred_at`;

  it('keeps message, identity, failure and origin of an event of every known format', async () => {
    // The same record is there in the binary form; JavaScript rounds a number in this copy of it, in `otherCaptures`.
    for (const fixture of fixtures.filter(({ name }) => name !== 'recorded-strimzi-form-json')) {
      await storeCaptures({ db: other().db, ...limits }, readCaptures(toInbound(fixture)));
    }
    const lines = await exportEvents(other());
    assert.deepEqual(new Set((await importLines(lines)).map(({ isNew }) => isNew)), new Set([true]));
    const select = `select ${carried}, metadata - 'imported' - 'decided' as metadata from dlq_events order by id`;
    const expected = await other().sql<{ metadata: object | null }>(select);
    const noMetadata = expected.map((row) => ({ ...row, metadata: row.metadata ?? {} }));
    assert.deepEqual(await here().sql(select), noMetadata);
  });

  it('keeps what a capture cannot set, and the attempts, in metadata.imported, but no secret', async () => {
    const id = await anEvent(other(), {
      retry_count: 3,
      metadata: { tenant: 'acme' },
      conflicts_with: 7,
    });
    await other().sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_status)
       values ($1, 1, 'transient', 'http://shop', now(), 5, 503)`,
      [id],
    );
    const lines = await exportEvents(other());
    await importLines(lines);
    const [row] = await here().sql<{
      metadata: { tenant: string; imported: Record<string, unknown>; decided: unknown };
    }>('select metadata from dlq_events');
    assert.ok(row);
    const { tenant, imported, decided: _, ...rest } = row.metadata;
    assert.deepEqual([tenant, rest], ['acme', {}]);
    const { event, attempts } = JSON.parse(lines[0] ?? '');
    const { created_at, first_failure_at } = event;
    assert.deepEqual(
      { ...imported, created_at, first_failure_at },
      {
        ...{ id: Number(id), status: 'PENDING', retry_count: 3, failure_count: 1 },
        attempts,
        ...{ created_at, first_failure_at },
        ...{ updated_at: event.updated_at, last_failure_at: event.last_failure_at },
      },
    );
  });

  it('leaves a permanent failure to operators, and a retry to its backoff and priority', async () => {
    const retryAfter = new Date(Date.now() + 3_600_000);
    await anEvent(other(), { status: 'FAILED_PERMANENTLY' });
    await anEvent(other(), { retry_count: 2, retry_after: retryAfter, priority: -5, max_retries: 7 });
    const columns = 'status, priority, max_retries, is_blocking and not is_open as waits, retry_after';
    await importLines(await exportEvents(other()));
    const [failed, retried] = await here().sql<Record<string, unknown>>(
      `select ${columns} from dlq_events order by id`,
    );
    assert.deepEqual([failed?.status, failed?.waits], ['FAILED_PERMANENTLY', true]);
    assert.deepEqual(retried, {
      ...{ status: 'PENDING', priority: -5, max_retries: 7, waits: false },
      retry_after: retryAfter,
    });
  });

  it('is one event with what the broker brings here, in either order', async () => {
    const push = fixtures.find(({ name }) => name === 'pubsub-push-wrapped-full');
    assert.ok(push);
    const captured = readCaptures(toInbound(push));
    await storeCaptures({ db: other().db, ...limits }, captured);
    const lines = await exportEvents(other());
    for (const [first, second] of [
      [() => importLines(lines), () => storeCaptures({ db: here().db, ...limits }, captured)],
      [() => storeCaptures({ db: here().db, ...limits }, captured), () => importLines(lines)],
    ] as const) {
      await here().clear('dlq_events');
      await first();
      assert.deepEqual(
        (await second()).map(({ isNew, conflictsWith }) => [isNew, conflictsWith]),
        [[false, null]],
      );
    }
  });

  it('never reopens an event that was dealt with here, however often it is imported', async () => {
    await anEvent(other(), {});
    const lines = await exportEvents(other());
    await importLines(lines);
    await here().sql(
      `update dlq_events set status = 'DISCARDED', first_failure_at = now() - interval '1 day',
         last_failure_at = now() - interval '1 day'`,
    );
    await importLines(lines);
    assert.deepEqual(await here().sql('select status, failure_count from dlq_events'), [
      { status: 'DISCARDED', failure_count: 1 },
    ]);
  });

  it('keeps an event that was closed there as any other message, without its type', async () => {
    await anEvent(other(), { status: 'SUCCEEDED' });
    const [line = ''] = await exportEvents(other());
    await importLines([line]);
    assert.deepEqual(await here().sql('select event_type from dlq_events'), [{ event_type: 'unknown' }]);
    assert.deepEqual(await readBodies(here()), [Buffer.from(line)]);
  });

  it('keeps the payload of an event that plain SQL inserted, digit for digit', async () => {
    await other().sql(
      `insert into dlq_events (event_type, payload) values ('a', '{"n": 12345678901234567890.10}')`,
    );
    await importLines(await exportEvents(other()));
    assert.deepEqual(
      await here().sql('select convert_from(body, $$UTF8$$) as body, event_type from dlq_events'),
      [{ body: '{"n": 12345678901234567890.10}', event_type: 'a' }],
    );
  });
});
