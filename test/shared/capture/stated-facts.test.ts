import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Capture } from '../../../shared/capture/message.ts';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { isCredential } from '../../../shared/message/credential-headers.ts';
import { readAll, readCapture } from '../../support/read-capture.ts';

const facts = {
  'dlo-event-type': 'order.created',
  'dlo-event-id': 'evt-1',
  'dlo-error-reason': 'no such customer',
  'dlo-error-class': 'NotFound',
  'dlo-error-kind': 'permanent',
  'dlo-consumer-group': 'billing',
  'dlo-topic': 'orders',
  'dlo-key': 'customer-7',
  'dlo-retry-after': '120',
  'dlo-max-retries': '3',
  'dlo-priority': '-5',
};
const { 'dlo-event-id': _, ...shared } = facts;
const read = (capture: Capture) => {
  const { eventType, eventId, errorReason, errorClass, errorKind, consumerGroup } = capture;
  const { sourceTopic, sourceKey, retryAfter, maxRetries, priority } = capture;
  return [
    ...[eventType, eventId, errorReason, errorClass, errorKind, consumerGroup],
    ...[sourceTopic, sourceKey, retryAfter, maxRetries, priority],
  ];
};
const common = ['no such customer', 'NotFound', 'permanent', 'billing', 'orders', 'customer-7', 120, 3, -5];
const push = (attributes: object) => ({
  message: { messageId: '1', data: 'e30=', attributes },
  subscription: 'projects/p/subscriptions/s',
});

describe('facts in dlo- headers', () => {
  for (const [name, body, headers] of [
    ['text', 'any text', { 'content-type': 'text/plain' }],
    ['bytes', Buffer.from([0, 255, 1]), {}],
    ['nothing', '', {}],
    ['a JSON object', { total: 1 }, {}],
    ['a JSON list of one', [{ total: 1 }], {}],
    ['malformed JSON', '{"total": ', {}],
    ['a form', 'a=1&b=2', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a report that says nothing', { payload: 1, error: '' }, {}],
    ['a row of Dataflow', { errorMessage: 'm', payloadString: 'A', timestamp: '2026-01-01T00:00:00Z' }, {}],
    ['a message with an error', { error: { message: 'declined', class: 'Card' }, total: 1 }, {}],
  ] as const) {
    it(`describe ${name}`, () => {
      const capture = readCapture(body, { ...headers, ...facts });
      assert.deepEqual(read(capture), ['order.created', 'evt-1', ...common]);
      assert.deepEqual([capture.eventKey, capture.consumer, capture.ignored], ['id:evt-1', 'billing', []]);
      const decided = { kind: 'permanent', retryAfter: 120, maxRetries: 3, priority: -5 };
      assert.deepEqual(capture.metadata, { decided });
    });
  }

  it('are no part of the message', () => {
    const { headers, body } = readCapture('text', { ...shared, tenant: 'acme' });
    assert.deepEqual([headers, body.toString()], [{ tenant: 'acme' }, 'text']);
  });

  it('describe every message of a batch, but for its id, which is named', () => {
    const record = (offset: number) => ({ topic: 'orders', partition: 0, offset, value: { a: 1 } });
    for (const body of [
      [{ a: 1 }, { a: 2 }],
      [record(1), record(2)],
    ]) {
      for (const capture of readAll(body, facts)) {
        assert.deepEqual(read(capture), ['order.created', null, ...common]);
        assert.deepEqual(capture.ignored, ['dlo-event-id']);
        assert.equal(capture.consumer, 'billing');
      }
    }
  });

  it('leave to each message of a batch what it says itself', () => {
    const own = { eventType: 'refund', payload: 1, error: { message: 'e', kind: 'transient' }, priority: 1 };
    const [first, second] = readAll([own, { a: 1 }], shared);
    assert.deepEqual(
      [first?.eventType, first?.errorReason, first?.errorKind, first?.priority, first?.errorClass],
      ['refund', 'e', 'transient', 1, 'NotFound'],
    );
    assert.deepEqual(first?.ignored, [
      ...['dlo-event-type', 'dlo-error-reason', 'dlo-error-kind', 'dlo-priority'],
    ]);
    assert.equal(second?.errorKind, 'permanent');
  });

  it('complete the failure that a dead-letter format describes', () => {
    const headers = [{ key: '__connect.errors.topic', value: 'orders' }];
    const record = { topic: 'orders-dlq', partition: 0, offset: 7, value: {}, headers };
    const { format, sourceTopic, errorReason, ignored } = readCapture([record], shared);
    assert.deepEqual([format, sourceTopic, errorReason], ['kafka-connect', 'orders', 'no such customer']);
    assert.deepEqual(ignored, []);
  });

  it('are read among the attributes of a Pub/Sub message as well', () => {
    const capture = readCapture(push(facts));
    assert.deepEqual(
      [capture.eventType, capture.errorReason, capture.errorKind, capture.consumerGroup, capture.priority],
      ['order.created', 'no such customer', 'permanent', 'billing', -5],
    );
    const first = readCapture(push({ 'dlo-priority': '1' }), { 'dlo-priority': '2' });
    assert.deepEqual([first.priority, first.metadata?.ignored], [1, { 'dlo-priority': '2' }]);
  });

  it('make two consumers two events, with an id and without one', () => {
    for (const id of [{}, { 'dlo-event-id': 'evt-1' }]) {
      const keys = ['billing', 'shipping'].map(
        (group) => readCapture('text', { ...id, 'dlo-consumer-group': group }).consumer,
      );
      assert.notEqual(keys[0], keys[1]);
    }
  });

  it('make another request, which is no repetition', () => {
    const [one, same, other] = ['a', 'a', 'b'].map(
      (reason) => readCapture('text', { 'dlo-error-reason': reason }).eventKey,
    );
    assert.equal(one, same);
    assert.notEqual(one, other);
  });

  it('make a body the reprint of a report, which the message replaces', () => {
    assert.deepEqual(
      [readCapture('text', shared), readCapture('text')].map(({ origin }) => origin),
      ['report', null],
    );
  });

  it('may be percent-encoded UTF-8', () => {
    const { errorReason, eventKey } = readCapture('text', {
      'dlo-error-reason': 'Kunde %C3%BC%E2%82%AC%20fehlt',
      'dlo-event-id': '%C3%BC',
    });
    assert.deepEqual([errorReason, eventKey], ['Kunde ü€ fehlt', 'id:ü']);
    assert.equal(readCapture('text', { 'dlo-error-reason': '100% ü' }).errorReason, '100% ü');
  });

  it('that are unknown or cannot be used are kept and named', () => {
    const wrong = {
      'dlo-error-kind': 'fatal',
      'dlo-retry-after': 'soon',
      'dlo-max-retries': '-1',
      'dlo-priority': '99999',
      'dlo-eventtype': 'order',
    };
    const { ignored, metadata, errorKind } = readCapture('text', wrong);
    assert.deepEqual([ignored, metadata, errorKind], [Object.keys(wrong), { ignored: wrong }, null]);
  });

  it('are not those of a redelivery, nor empty', () => {
    const headers = {
      'dlo-event-id': `17.${'ab'.repeat(16)}`,
      'dlo-attempt': '3',
      'dlo-damaged': 'key',
      'dlo-signature': 't=1,v2=a',
      'dlo-error-reason': '',
    };
    const { ignored, metadata, origin, attempt } = readCapture('text', headers);
    assert.deepEqual([ignored, metadata, origin, attempt], [[], null, null, 3]);
  });

  it('say nothing if the signature of the request does not cover them', () => {
    const unsignedHeaders = { 'dlo-error-kind': 'permanent', 'dlo-note': 'caf%C3%A9' };
    const inbound = { path: '/', query: new URLSearchParams(), headers: {}, unsignedHeaders };
    const [capture] = readCaptures({ ...inbound, body: Buffer.from('text') });
    assert.deepEqual([capture?.errorKind, capture?.headers], [null, unsignedHeaders]);
  });

  it('are named without their values if they are credentials', () => {
    const headers = { 'dlo-secret': 'open sesame', 'dlo-api-key': 'open sesame' };
    for (const capture of [readCapture('text', headers), ...readAll(push(headers))]) {
      assert.deepEqual(capture.metadata?.ignored, { 'dlo-secret': 'withheld', 'dlo-api-key': 'withheld' });
      assert.doesNotMatch(JSON.stringify({ ...capture, body: null }), /sesame/);
    }
  });

  it('have a retry time in every notation of one', () => {
    const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
    for (const text of [soon.toUTCString(), soon.toISOString(), soon.toISOString().replace('Z', '+00:00')]) {
      assert.deepEqual(readCapture('text', { 'dlo-retry-after': text }).retryAfter, soon);
    }
    assert.equal(readCapture('text', { 'dlo-retry-after': '0.0004' }).retryAfter, 0);
  });

  it('are never lost, whatever they are called and whatever they say', () => {
    const name = fc.oneof(
      fc.constantFrom(...Object.keys(facts)),
      fc
        .stringMatching(/^dlo-[a-z-]{1,12}$/)
        .filter((each) => !/^dlo-(attempt|damaged|signature)$/.test(each) && !isCredential(each)),
    );
    const texts = fc.dictionary(name, fc.oneof(fc.uuid(), fc.constantFrom('1', 'permanent', '-1', 'x%20y')));
    const bodies = fc.constantFrom<string | object>('text', '', [{ a: 1 }, { a: 2 }], push({}), {
      eventType: 'a',
      payload: 1,
      error: { message: 'e', kind: 'transient' },
      priority: 7,
    });
    fc.assert(
      fc.property(texts, bodies, (headers, body) => {
        for (const capture of readAll(body, headers)) {
          for (const text of Object.values(headers)) {
            assert.ok(JSON.stringify(capture).includes(decodeURIComponent(text)));
          }
        }
      }),
    );
  });
});
