import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAll, readCapture } from '../../support/read-capture.ts';

const message = (properties: object = {}, more: object = {}) => ({
  payload: 'x',
  payload_encoding: 'string',
  exchange: 'shop',
  routing_key: 'order.created',
  properties,
  ...more,
});
const death = (reason: string, count: number) => ({
  headers: {
    'x-death': [{ count, reason, queue: 'orders', exchange: 'shop', 'routing-keys': ['order.paid'] }],
  },
});

describe('a message of RabbitMQ', () => {
  it('without a type has the routing key as its type, unless its sender states one', () => {
    const types = [message(), message(death('rejected', 1)), message({ type: 'paid' })].map((each) =>
      ['text/plain', 'dlo-event-type'].map((name) => readCapture(each, { [name]: 'stated' }).eventType),
    );
    assert.deepEqual(types, [
      ['order.created', 'stated'],
      ['order.paid', 'stated'],
      ['paid', 'paid'],
    ]);
  });

  it('has the first of any number of queues that it died in', () => {
    const queues = Array.from({ length: 2000 }, (_, i) => ({ count: 1, reason: 'expired', queue: `q${i}` }));
    const { sourceSubscription } = readCapture(message({ headers: { 'x-death': queues } }));
    assert.equal(sourceSubscription, 'q1999');
  });

  it('of another format has the type that the format states', () => {
    const { eventType } = readCapture(message({ headers: { task: 'shop.bill', id: '1', retries: 0 } }));
    assert.equal(eventType, 'shop.bill');
  });

  it('of the default exchange has no topic, whichever exchange its dead letters take', () => {
    const died = {
      'x-death': [{ count: 1, reason: 'rejected', queue: 'jobs', exchange: '', 'routing-keys': ['jobs'] }],
      'x-first-death-exchange': '',
    };
    const topics = [died, { ...died, task: 'shop.bill', id: '1', retries: 0 }].map(
      (headers) => readCapture(message({ headers }, { exchange: 'dead' })).sourceTopic,
    );
    assert.deepEqual(topics, [null, null]);
  });

  it('has no text in place of bytes and nulls, which the management API prints', () => {
    const bytes = Buffer.alloc(120, 0xff);
    const lines = bytes.toString('base64').replace(/.{76}/, '$&\n');
    const { headers, metadata } = readCapture(
      message({ headers: { bin: `Not UTF-8, base64 is: ${lines}`, none: 'undefined', odd: 'Not UTF-8' } }),
    );
    assert.deepEqual(headers, { bin: { base64: bytes.toString('base64') }, odd: 'Not UTF-8' });
    assert.deepEqual(metadata?.nullHeaders, ['none']);
  });

  it('has no credential among its properties', () => {
    const { metadata } = readCapture(message({ 'x-api-key': 's3cret', user_id: 'app' }));
    assert.deepEqual(metadata?.properties, { 'x-api-key': 'withheld', user_id: 'app' });
  });

  it('is another event than an equal one beside it, and the same in a repeated request', () => {
    const keys = (messages: object[]) => readAll(messages).map(({ eventKey }) => eventKey);
    const three = [message(), message(), message()];
    assert.equal(new Set(keys(three)).size, 3);
    assert.deepEqual(keys(three), keys(three));
    assert.deepEqual(keys([message()]), keys(three).slice(0, 1));
  });

  it('has attempts only if a consumer rejected it', () => {
    const attempts = ['rejected', 'expired', 'maxlen', 'delivery_limit'].map(
      (reason) => readCapture(message(death(reason, 2))).sourceAttempts,
    );
    assert.deepEqual(attempts, [2, null, null, null]);
  });

  it('that Spring republished has its queue only from the default exchange', () => {
    const queueOf = (exchange: string) => {
      const headers = { 'x-original-exchange': exchange, 'x-original-routingKey': 'orders' };
      return readCapture(message({ headers })).sourceSubscription;
    };
    assert.deepEqual([queueOf(''), queueOf('shop')], ['orders', null]);
  });

  it('that is a text which UTF-8 cannot encode is kept as it came', () => {
    const body = JSON.stringify([{ ...message(), payload: 'a\ud800' }]);
    assert.equal(`[${readCapture(body).body}]`, body);
  });
});
