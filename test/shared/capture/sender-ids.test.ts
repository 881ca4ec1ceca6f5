import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAll, readCapture } from '../../support/read-capture.ts';

const pair = `17.${'ab'.repeat(16)}`;
const report = { eventType: 'order', payload: 1, error: 'timeout' };
const record = (headers: object) => ({
  topic: 'orders',
  partition: 3,
  offset: 7,
  value: 1,
  headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
});
const rabbit = (headers: object) => ({
  payload: '{}',
  payload_encoding: 'string',
  exchange: 'e',
  routing_key: 'k',
  properties: { headers },
});
const push = (attributes: object) => ({
  message: { messageId: '1', data: 'e30=', attributes },
  subscription: 'projects/p/subscriptions/s',
});
const unwrapped = { 'x-goog-pubsub-message-id': '1', 'x-goog-pubsub-subscription-name': 's' };

describe('a dlo-event-id', () => {
  for (const [name, read] of Object.entries({
    'the headers in a report': (headers: Record<string, string>) => readCapture({ ...report, headers }),
    'the HTTP headers of a report': (headers: Record<string, string>) => readCapture(report, headers),
    'the headers of a Kafka record': (headers: Record<string, string>) => readCapture([record(headers)]),
    'the headers of a RabbitMQ message': (headers: Record<string, string>) => readCapture([rabbit(headers)]),
    'the attributes of a Pub/Sub push': (headers: Record<string, string>) => readCapture(push(headers)),
    'the headers of an unwrapped push': (headers: Record<string, string>) =>
      readCapture({}, { ...unwrapped, ...headers }),
    'the HTTP headers of a value': (headers: Record<string, string>) => readCapture({ a: 1 }, headers),
  })) {
    it(`in ${name} is the sender's id of its event, unless it is a pair of a redelivery`, () => {
      const own = read({ 'dlo-event-id': 'evt-1' });
      assert.deepEqual([own.eventId, own.eventKey, own.redelivery], ['evt-1', 'id:evt-1', null]);
      const redelivered = read({ 'dlo-event-id': pair });
      assert.deepEqual([redelivered.eventId, redelivered.redelivery], [null, pair]);
      assert.notEqual(redelivered.eventKey, `id:${pair}`);
    });

    it(`in ${name} comes after an id of the application`, () => {
      const { eventId, eventKey } = read({ 'dlo-event-id': 'other', event_id: 'evt-1' });
      assert.deepEqual([eventId, eventKey], ['evt-1', 'id:evt-1']);
    });
  }
});

describe('the id of a redelivery', () => {
  it('may have nineteen digits, as those of an adopted table', () => {
    const id = '1795302445375463425';
    const { redelivery } = readCapture(report, { 'dlo-event-id': `${id}.${'0'.repeat(32)}` });
    assert.equal(redelivery, `${id}.${'0'.repeat(32)}`);
  });
});

describe('ids that differ', () => {
  it('have other keys, in whatever character that PostgreSQL cannot store', () => {
    const ids = ['a\0b', 'a\uFFFDb', 'a\uD800b', 'a\uDC00b', 'a%00b', 'a%b', 'a@b', 'a%40b'];
    const keys = ids.map((eventId) => readCapture({ ...report, eventId }).eventKey);
    assert.equal(new Set(keys).size, ids.length);
    assert.ok(keys.every((key) => key.isWellFormed() && !key.includes('\0')));
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'k-1' };

  it('is the id of the delivery of a report, and no header of the message', () => {
    for (const body of [report, { orderId: 1, error: 'timeout' }]) {
      const { deliveryId, headers: own } = readCapture(body, headers);
      assert.deepEqual([deliveryId, own], ['idempotency:k-1', {}]);
    }
  });

  it('has the index of the part in a batch', () => {
    assert.deepEqual(
      readAll([report, { ...report, payload: 2 }], headers).map(({ deliveryId }) => deliveryId),
      ['idempotency:k-1/0', 'idempotency:k-1/1'],
    );
    assert.equal(readCapture([report], headers).deliveryId, 'idempotency:k-1/0');
  });

  it('is not invented: without it no delivery is named', () => {
    assert.equal(readCapture(report).deliveryId, null);
  });

  it('stays an attribute of a Pub/Sub message', () => {
    assert.deepEqual(readCapture({}, { ...unwrapped, ...headers }).headers, headers);
  });
});

describe('the id of an application', () => {
  for (const name of ['event_id', 'eventId', 'Event-Id', 'EVENTID']) {
    it(`has the same name by each transport, in any case: ${name}`, () => {
      const headers = { [name]: 'evt-1' };
      const all = [
        readCapture([record(headers)]),
        readCapture([rabbit(headers)]),
        readCapture(push(headers)),
      ];
      for (const { eventId, eventKey } of [...all, readCapture({}, { [name.toLowerCase()]: 'evt-1' })])
        assert.deepEqual([eventId, eventKey], ['evt-1', 'id:evt-1']);
    });
  }
});
