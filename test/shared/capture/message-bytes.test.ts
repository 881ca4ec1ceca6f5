import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readAll } from '../../support/read-capture.ts';
import { tries } from '../../support/sample.ts';

/** Names that envelopes of known formats have, among others. */
const names = [
  ...[
    'eventType',
    'eventId',
    'payload',
    'payloadBase64',
    'error',
    'source',
    'headers',
    'metadata',
    'tenant',
    'amount',
  ],
  ...[
    'message',
    'subscription',
    'data',
    'attributes',
    'messageId',
    'topic',
    'partition',
    'offset',
    'value',
    'key',
  ],
  ...[
    'timestamp',
    'body',
    'deadLetterReason',
    'Type',
    'TopicArn',
    'SubscribeURL',
    'Message',
    'MessageId',
    'properties',
  ],
  ...['payload_encoding', 'errorMessage', 'payloadString', 'record', 'failure', 'specversion', 'id', 'type'],
];
const text = fc.constantFrom('', 'acme', 'true', 'abcd1234', 'payment.failed', 'aGk=', '1.0');
const anyValue = fc.oneof(
  text,
  fc.constantFrom(null, 0, 42.5, true),
  fc.array(text, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom(...names, 'code'), text, { maxKeys: 4 }),
);
/** A member that no format has makes an object a message, whatever else it has. */
const anyMessage = fc
  .tuple(fc.dictionary(fc.constantFrom(...names), anyValue, { maxKeys: 8 }), anyValue)
  .map(([members, value]) => JSON.stringify({ ...members, paymentId: value }));

const base64 = (value: string) => Buffer.from(value).toString('base64');
const push = (value: string) => ({
  message: { data: base64(value), messageId: '1' },
  subscription: 'projects/p/subscriptions/s',
});
const unwrapped = { 'x-goog-pubsub-message-id': '1', 'x-goog-pubsub-subscription-name': 's' };

/** Ways in, each with how many times the message comes by it. */
const ways = {
  'as a request': (value: string) => readAll(value, { 'content-type': 'application/json' }),
  'as text': (value: string) => readAll(value, { 'content-type': 'text/plain' }),
  'in a batch': (value: string) => readAll(`[${value}, ${value}]`, { 'content-type': 'application/json' }),
  'on lines': (value: string) => readAll(`${value}\n${value}\n`, { 'content-type': 'application/x-ndjson' }),
  'in a wrapped push': (value: string) => readAll(push(value), { 'content-type': 'application/json' }),
  'in an unwrapped push': (value: string) => readAll(value, unwrapped),
};

describe('an object that is wholly of no format', () => {
  for (const [way, read] of Object.entries(ways)) {
    it(`is a message with the bytes that came, ${way}`, () => {
      fc.assert(
        fc.property(anyMessage, (message) => {
          const captures = read(message);
          assert.ok(captures.length > 0);
          for (const { body } of captures) assert.equal(body.toString(), message);
        }),
        { numRuns: tries(2000) },
      );
    });
  }

  it('never becomes an empty message, even if it has only fields of a report', () => {
    const fields = fc.constantFrom('eventType', 'error', 'priority', 'metadata', 'contentType', 'occurredAt');
    fc.assert(
      fc.property(fc.dictionary(fields, anyValue), (json) => {
        for (const { body } of readAll(json)) assert.notEqual(body.length, 0);
      }),
    );
  });

  it('is not read as the empty message of a push, a queue or a stream', () => {
    const bodies = [
      { message: { messageId: '1', text: 'hello' }, subscription: 'newsletter' },
      { message: { messageId: '1' }, subscription: 'newsletter' },
      { message: { messageId: '1', data: 'not base64!' }, subscription: 'projects/p/subscriptions/s' },
      { message: { messageId: '1', data: 5 }, subscription: 'projects/p/subscriptions/s' },
      { messageId: '1', deadLetterReason: 'moved', letter: 'hello' },
      { faultedMessageId: '1', exceptions: [], shop: 7 },
      { Type: 'SubscriptionConfirmation', TopicArn: 'a', SubscribeURL: 'b', shop: 7 },
      { specversion: '1.0', id: '1', source: '/shop', type: 'paid', data: {}, shop_id: 7 },
    ];
    for (const body of bodies) {
      assert.deepEqual(
        readAll(body).map((each) => each.body.toString()),
        [JSON.stringify(body)],
      );
    }
  });
});

describe('an envelope that has two values of one name', () => {
  for (const body of [
    '{"message":{"data":"QQ==","data":"Qg==","messageId":"1"},"subscription":"s"}',
    '{"message":{"data":"QQ==","attributes":{"a":"1","a":"2"},"messageId":"1"},"subscription":"s"}',
    '{"message":{"data":"QQ==","messageId":"1"},"message":{"data":"Qg==","messageId":"2"},"subscription":"s"}',
    '{"topic":"orders","partition":0,"offset":12,"value":"A","value":"B"}',
    '{"payload":"A","payload":"B","payload_encoding":"string","properties":{}}',
    '{"errorMessage":"declined","payloadString":"A","payloadString":"B"}',
    '{"specversion":"1.0","id":"1","source":"/s","type":"t","data":"A","data":"B"}',
  ]) {
    it(`is the message itself: ${body}`, () => {
      assert.deepEqual(
        readAll(body).map((each) => each.body.toString()),
        [body],
      );
    });
  }
});

describe('text that happens to be base64', () => {
  const record = { topic: 'orders', partition: 0, offset: 12, key: 'acme', value: 'true' };
  const headers = [{ key: 'tenant', value: 'acme' }];

  it('is text in a record that nobody declares as encoded', () => {
    const [capture] = readAll({ ...record, headers }, { 'content-type': 'application/json' });
    assert.ok(capture);
    assert.deepEqual(
      [{ ...capture.headers }, capture.sourceKey, capture.body.toString()],
      [{ tenant: 'acme' }, 'acme', 'true'],
    );
  });

  it('is decoded in a record whose media type says that it is base64', () => {
    const [capture] = readAll(
      {
        ...record,
        headers: [{ key: 'tenant', value: base64('shop') }],
        value: base64('hi'),
        key: base64('k'),
      },
      { 'content-type': 'application/vnd.kafka.binary.v2+json' },
    );
    assert.ok(capture);
    assert.deepEqual(
      [{ ...capture.headers }, capture.sourceKey, capture.body.toString()],
      [{ tenant: 'shop' }, 'k', 'hi'],
    );
  });
});
