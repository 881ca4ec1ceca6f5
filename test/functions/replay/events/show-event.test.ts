import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent } from '../../../support/factories.ts';

type Shown = {
  readonly event: Readonly<Record<string, unknown>>;
  readonly attempts: { readonly items: readonly { readonly number: number }[]; readonly next: string | null };
};

describe('an event shown by the API', () => {
  const database = useDatabase();
  const api = useApi(database);
  const show = async (id: string) => (await api().get<Shown>(`/events/${id}`)).body;

  it('has all of its fields', async () => {
    const body = Buffer.from([0, 255, 10, 13]);
    const columns = {
      payload: '{"orderId": 1}',
      body,
      headers: '{"a": ["b"]}',
      error_stacktrace: 'at line 1',
      source_offset: '9007199254740993',
    };
    const { event } = await show(await anEvent(database(), columns));

    assert.deepEqual(
      [event.payload, event.headers, event.errorStacktrace],
      [{ orderId: 1 }, { a: ['b'] }, 'at line 1'],
    );
    assert.deepEqual(Buffer.from(String(event.bodyBase64), 'base64'), body);
    assert.deepEqual([event.sourceOffset, event.isArchived, event.bodyBytes], ['9007199254740993', false, 4]);
  });

  it('keeps every digit of its numbers', async () => {
    const id = await anEvent(database(), { payload: '{"n": 12345678901234567890.123456789}' });
    const text = await (await fetch(`${api().url}/events/${id}`)).text();

    assert.match(text, /"n": 12345678901234567890\.123456789/);
  });

  it('has null for a payload or body above 1 MiB', async () => {
    const body = Buffer.alloc(1_048_577, 'x');
    const { event } = await show(
      await anEvent(database(), { payload: JSON.stringify(body.toString()), body }),
    );

    assert.deepEqual([event.payload, event.bodyBase64], [null, null]);
    assert.deepEqual([event.payloadBytes, event.bodyBytes], [1_048_579, 1_048_577]);
  });

  it('is found in the archive', async () => {
    const id = await anEvent(database(), { status: 'SUCCEEDED' });
    await database().sql(
      `with moved as (delete from dlq_events where id = $1 returning *) insert into dlq_events_archive select * from moved`,
      [id],
    );
    assert.equal((await show(id)).event.isArchived, true);
  });

  it('has its deliveries, the newest first, in pages', async () => {
    const id = await anEvent(database());
    await database().sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_status)
       select $1, n, 'transient', 'http://t/', now(), 7, 503 from generate_series(1, 120) n`,
      [id],
    );
    const { attempts } = await show(id);
    assert.deepEqual(
      [attempts.items.length, attempts.items[0]?.number, attempts.items[99]?.number],
      [100, 120, 21],
    );

    const { body } = await api().get<Shown['attempts']>(`/events/${id}/attempts?cursor=${attempts.next}`);
    assert.deepEqual([body.items.length, body.items[0]?.number, body.next], [20, 20, null]);
  });

  it('is not found under an unknown or malformed id', async () => {
    assert.equal((await api().get('/events/987654321')).status, 404);
    assert.equal((await api().get('/events/x')).status, 400);
  });
});
