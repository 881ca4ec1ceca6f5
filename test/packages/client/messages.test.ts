import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import { Hono } from 'hono';
import { deadLetters } from '../../../packages/client/client.ts';
import { useCapture } from '../../support/capture.ts';
import { useDatabase } from '../../support/database.ts';
import { readBodies } from '../../support/stored-bodies.ts';

const key = Buffer.from([0, 255]);
const value = Buffer.from('{"amount": 1.10}');
const fail = () => {
  throw new RangeError('no stock', { cause: new Error('row 7') });
};
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** A response that keeps the statuses that were written. */
function openResponse() {
  const answers: number[] = [];
  const writeHead = (status: number) => answers.push(status);
  return { answers, response: { headersSent: false, writeHead, end: () => {} } as unknown as ServerResponse };
}

describe('a message that a handler could not process', () => {
  const database = useDatabase();
  const capture = useCapture(database);
  beforeEach(() => database().clear());

  const options = () => ({ capture: capture().url, consumer: 'billing' });
  const readEvent = async (): Promise<Record<string, unknown>> => {
    const [event] = await database().sql<Record<string, unknown>>('select * from dlq_events');
    const [body] = await readBodies(database());
    return event ? { ...event, body } : assert.fail('no event was stored');
  };
  const assertRecord = async () => {
    const event = await readEvent();
    assert.deepEqual(
      [event.source_topic, event.source_partition, String(event.source_offset), event.consumer_group],
      ['orders', 3, '41', 'billing'],
    );
    assert.deepEqual([event.body, event.error_class, event.error_reason], [value, 'RangeError', 'no stock']);
    assert.match(String(event.error_stacktrace), /\n\[cause\]: Error: row 7\n/);
    assert.deepEqual(event.headers, { tenant: ['a', 'b'], binary: { base64: 'AP8=' } });
    assert.equal(event.source_key, key.toString('base64'));
    assert.deepEqual(event.occurred_at, new Date(1_790_000_000_000));
  };

  it('of KafkaJS has its coordinates, key and headers, repeated and binary ones too', async () => {
    const wrapped = deadLetters({ ...options(), from: 'kafkajs' }).wrap(fail);
    const headers = { tenant: ['a', Buffer.from('b')], binary: key };
    const message = { key, value, headers, offset: '41', timestamp: '1790000000000' };
    await wrapped({ topic: 'orders', partition: 3, message });
    await assertRecord();
  });

  it('of @platformatic/kafka has the same, and is committed', async () => {
    let commits = 0;
    const entries: [Buffer, Buffer][] = [
      [Buffer.from('tenant'), Buffer.from('a')],
      [Buffer.from('tenant'), Buffer.from('b')],
      [Buffer.from('binary'), key],
    ];
    await deadLetters({ ...options(), from: 'platformatic-kafka' }).wrap(fail)({
      ...{ topic: 'orders', partition: 3, offset: 41n, timestamp: 1_790_000_000_000n, key, value },
      ...{ headers: new Map(entries), headerEntries: entries },
      commit: () => {
        commits += 1;
      },
    });
    await assertRecord();
    assert.equal(commits, 1);
  });

  it('of a batch of Kafka keeps its offset if it stays with its broker, and so do those after it', async () => {
    const resolved: string[] = [];
    let isRunning = true;
    const leave = ({ kind }: { kind: string | undefined }) => kind === 'transient';
    const { wrap } = deadLetters({ ...options(), leave, from: 'kafkajs-batch' });
    const { eachBatch, eachBatchAutoResolve } = wrap(({ message }) => {
      if (message.offset === '9') isRunning = false;
      if (message.offset === '6') throw Object.assign(new TypeError('no stock'), { kind: 'transient' });
    });
    const consume = (...offsets: string[]) =>
      eachBatch({
        batch: {
          ...{ topic: 'orders', partition: 0 },
          messages: offsets.map((offset) => ({ value: 'text', offset, timestamp: '0' })),
        },
        ...{ resolveOffset: (offset) => resolved.push(offset), commitOffsetsIfNecessary: async () => {} },
        ...{ heartbeat: async () => {}, isRunning: () => isRunning, isStale: () => false },
      });
    await assert.rejects(
      consume('5', '6', '7'),
      ({ name, cause }) => name === 'Error' && cause instanceof TypeError,
    );
    await consume('8', '9', '10');
    assert.deepEqual([resolved, eachBatchAutoResolve], [['5', '8', '9'], false]);
  });

  it('that is a tombstone has no content', async () => {
    const message = { key: Buffer.from('k'), value: null, headers: {}, offset: '1', timestamp: '0' };
    await deadLetters({ ...options(), from: 'kafkajs' }).wrap(fail)({
      topic: 'orders',
      partition: 0,
      message,
    });
    const event = await readEvent();
    assert.deepEqual([event.body, event.payload, event.source_key], [Buffer.alloc(0), null, 'k']);
  });

  it('of a CloudEvents function has the attributes of the event as headers', async () => {
    await deadLetters({ ...options(), from: 'cloudevent' }).wrap(fail)({
      ...{ id: 'ce-1', type: 'order.created', source: '/orders', specversion: '1.0', tenant: 'eu' },
      ...{ time: '2026-09-21T14:13:20Z', datacontenttype: 'application/json', data: { amount: 1 } },
    });
    const event = await readEvent();
    assert.deepEqual([event.event_type, event.event_id], ['order.created', 'ce-1']);
    assert.deepEqual([event.body, event.content_type], [Buffer.from('{"amount":1}'), 'application/json']);
    assert.equal((event.headers as Record<string, unknown>)['ce-tenant'], 'eu');
  });

  it('of a push to hono has the exact bytes of the request, without headers of the connection', async () => {
    const app = new Hono();
    const { wrap } = deadLetters({ ...options(), from: 'hono' });
    app.post(
      '/',
      wrap(async ({ req }) => fail.call(await (req as unknown as Request).json())),
    );
    const headers = { 'content-type': 'application/json', tenant: 'eu', host: 'acme', traceparent };
    const response = await app.request('/', { method: 'POST', headers, body: value.toString() });
    const event = await readEvent();
    assert.equal(response.status, 204);
    assert.deepEqual(event.body, value);
    assert.deepEqual([event.headers, event.content_type], [{ tenant: 'eu' }, 'application/json']);
    assert.equal(event.trace_id, traceparent.slice(3, 35));
  });

  it('of a wrapped push has the bytes, attributes and subscription of Pub/Sub', async () => {
    const { answers, response } = openResponse();
    const subscription = 'projects/acme/subscriptions/orders';
    const message = { data: value.toString('base64'), attributes: { tenant: 'eu' }, messageId: '7' };
    const body = { message, subscription, deliveryAttempt: 2 };
    const { wrap } = deadLetters({ ...options(), from: 'express' });
    await wrap(fail)({ headers: { host: 'acme' }, body }, response);
    const event = await readEvent();
    assert.deepEqual([answers, event.body, event.event_id], [[204], value, '7']);
    assert.deepEqual([event.source_subscription, event.source_attempts], [subscription, 2]);
  });

  it('of a request whose bytes are gone is never stored as an empty one', async () => {
    const { answers, response } = openResponse();
    const { wrap } = deadLetters({ ...options(), from: 'express', warn: () => {} });
    await wrap(fail)(
      { headers: { 'content-length': '5', 'content-type': 'text/plain' }, body: {} },
      response,
    );
    assert.deepEqual(answers, [503]);
    assert.deepEqual(await database().sql('select from dlq_events'), []);
  });

  it('is stored without a time that is none', async () => {
    const event = { id: 'ce-2', type: 'order', source: '/orders', specversion: '1.0', time: 'soon' };
    await deadLetters({ ...options(), from: 'cloudevent' }).wrap(fail)(event);
    assert.equal((await readEvent()).event_id, 'ce-2');
  });

  it('has the reasons of an error that is several, as of a host with two addresses', async () => {
    const refused = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5432`));
    const { wrap } = deadLetters({ ...options(), from: (body: string) => ({ body }) });
    await wrap(() => Promise.reject(new AggregateError(refused)))('text');
    const { error_class, error_reason } = await readEvent();
    assert.equal(error_class, 'AggregateError');
    assert.equal(error_reason, 'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432');
  });

  it('stays with its broker if the option says so', async () => {
    const leave = ({ kind }: { kind: string | undefined }) => kind === 'transient';
    const { wrap } = deadLetters({ ...options(), leave, from: (body: string) => ({ body }) });
    const handle = wrap((kind: string) => {
      throw Object.assign(new Error('no stock'), { kind });
    });
    await assert.rejects(handle('transient'), /no stock/);
    await handle('permanent');
    const rows = await database().sql('select failure_kind, status from dlq_events');
    assert.deepEqual(rows, [{ failure_kind: 'permanent', status: 'FAILED_PERMANENTLY' }]);
  });
});
