import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { readEvent } from '../../shared/events/read-event.ts';
import { useDatabase } from '../support/database.ts';
import { redelivery } from '../support/redelivery.ts';

describe('a message that dlq_capture reports', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());

  it('fails once with the record at its position in Kafka, which a bridge brings', async () => {
    await database().sql(
      `select dlq_capture(event_type => 'order.created', payload => '{"orderId": 1}', error_reason => 'timeout',
         source_topic => 'a@b', source_partition => 0, source_offset => 5)`,
    );
    const captures = readCaptures({
      path: '/',
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/vnd.kafka.json.v2+json' },
      body: Buffer.from(
        '[{"topic":"a@b","partition":0,"offset":5,"timestamp":1764000000000,"value":{"orderId": 1}}]',
      ),
    });
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    assert.deepEqual(await database().sql('select failure_count, error_reason from dlq_events'), [
      { failure_count: 1, error_reason: 'timeout' },
    ]);
  });

  it('has the key of the message that has its id, of any length and characters', async () => {
    for (const id of ['a@b%25', 'é'.repeat(590), `${'x'.repeat(650)}@`, '@'.repeat(2000)]) {
      await database().clear();
      await database().sql(`select dlq_capture('order', '{"a":1}', event_id => $1)`, [id]);
      const [capture] = readCaptures({
        ...{ path: '/', query: new URLSearchParams(), headers: { 'content-type': 'application/json' } },
        body: Buffer.from(JSON.stringify({ eventId: id, payload: { a: 1 }, error: 'timeout' })),
      });
      assert.ok(capture);
      const [stored] = await storeCaptures({ db: database().db, repeatSeconds: 600 }, [capture]);
      assert.equal(stored?.isNew, false, id.slice(0, 10));
    }
  });

  it('has the bytes of the message that comes later, however PostgreSQL prints its JSON', async () => {
    await database().sql(`select dlq_capture('order', '{"a": 1.5, "b": 2}', event_id => 'e-1')`);
    const captures = readCaptures({
      ...{ path: '/', query: new URLSearchParams(), body: Buffer.from('{"b":2,"a":1.50}') },
      headers: { 'content-type': 'application/json', 'event-id': 'e-1' },
    });
    const [stored] = await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    const { body } = await readEvent(database().db, `${stored?.id}`);
    assert.deepEqual([stored?.isNew, `${body}`], [false, '{"b":2,"a":1.50}']);
  });

  it('may be bytes without their JSON: they are JSON, text or base64', async () => {
    const payloads = { '[1]': [1], '[1': '[1', '': '', '[\u00a0][\u00a0]': 'W6BdW6Bd' };
    for (const [body, payload] of Object.entries(payloads)) {
      await database().clear();
      await database().sql(`select dlq_capture(event_type => 'order', payload => null, body => $1)`, [
        Buffer.from(body, 'latin1'),
      ]);
      assert.deepEqual(await database().sql('select payload from dlq_events'), [{ payload }]);
    }
  });

  it('keeps a payload that contradicts the JSON of its body, and shows one beside bytes of another kind', async () => {
    const pairs = [
      ['{"a": 1}', '{"a":2}'],
      ['{"a": 1}', '{"a": 1.0}'],
      ['{"a": 1}', '\u0000avro'],
      ['null', '[1]'],
    ];
    for (const [payload, body] of pairs) {
      await database().sql('select dlq_capture($1, $2, body => $3)', [
        'order',
        payload,
        Buffer.from(`${body}`),
      ]);
    }
    assert.deepEqual(await database().sql('select payload, metadata from dlq_events order by id'), [
      { payload: { a: 2 }, metadata: { ignored: { payload: '{"a": 1}' } } },
      { payload: { a: 1 }, metadata: null },
      { payload: { a: 1 }, metadata: null },
      { payload: [1], metadata: null },
    ]);
  });

  it('is a text if its JSON has more levels than PostgreSQL reads', async () => {
    const body = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const payload of [null, '{"a": 1}'])
      await database().sql('select dlq_capture($1, $2, body => $3)', ['order', payload, Buffer.from(body)]);
    const rows = await database().sql(
      'select payload, payload_encoding, metadata from dlq_events order by id',
    );
    assert.deepEqual(rows, [
      { payload: body, payload_encoding: 'text', metadata: null },
      { payload: body, payload_encoding: 'text', metadata: { ignored: { payload: '{"a": 1}' } } },
    ]);
  });

  it('says nothing by an empty text, but has an empty key', async () => {
    await database().sql(`select dlq_capture('', '1', error_reason => '', error_class => '', trace_id => '',
      source_topic => '', source_subscription => '', consumer_group => 'billing', source_key => '')`);
    const [row] = await database().sql(`select event_type, error_reason, error_class, trace_id, source_topic,
      arrival ->> 'consumer' as consumer, source_key from dlq_events`);
    assert.deepEqual(row, {
      event_type: 'unknown',
      error_reason: 'not reported',
      ...{ error_class: null, trace_id: null, source_topic: null, consumer: 'billing', source_key: '' },
    });
  });

  it('is a redelivery, also in a session that reads backslashes in texts', async () => {
    const [row] = await database().sql(
      `insert into dlq_events (event_type, payload, status) values ('order', '{"n": 1}', 'SUCCEEDED')
       returning id, ${redelivery} as redelivery`,
    );
    const headers = { 'dlo-event-id': row?.redelivery, 'dlo-attempt': '1' };
    await database().sql(
      `set local standard_conforming_strings = off;
       select dlq_capture('order', '{"n": 1}', headers => '${JSON.stringify(headers)}')`,
    );
    assert.deepEqual(await database().sql('select id, failure_count from dlq_events'), [
      { id: row?.id, failure_count: 2 },
    ]);
    assert.deepEqual(
      await database().sql(`select attempt, facts -> 'headers' as headers from dlq_captures`),
      [{ attempt: 1, headers }],
    );
  });
});
