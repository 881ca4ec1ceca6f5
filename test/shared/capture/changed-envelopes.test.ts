import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { isObject } from '../../../shared/json/parse-json.ts';
import type { Fixture } from '../../support/envelopes.ts';
import { readObject } from '../../support/fixture-objects.ts';
import { sample } from '../../support/sample.ts';

const folder = path.resolve(import.meta.dirname, '../../fixtures/envelopes');
const fixtures = readdirSync(folder)
  .map((file): Fixture => JSON.parse(readFileSync(path.join(folder, file), 'utf8')))
  // Its value is a sentence, in place of which a header has the message.
  .filter(({ name, http }) => http.body_encoding === 'json' && !name.startsWith('confluent-http-reporter'));

/** Members about the way to capture, and those of a second hop. */
const ofTheWay =
  /(^|\.)(deliveryAttempt|subscription|messageId|payload_bytes|redelivered|message_count|exchange|routing_key)$/;
/** Eventarc's own event, around the message. */
const ofEventarc = /^(id|source|time|datacontenttype)\b|^extra$/;

/** The paths to all values down to the fifth level. */
function listPaths(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  const inner = at.length < 5 && typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [at, ...inner.flatMap(([name, each]) => listPaths(each, [...at, name]))];
}

function change(json: unknown, [name, ...rest]: readonly string[], to: (value: unknown) => unknown): unknown {
  if (name === undefined) return to(json);
  const copy: Record<string, unknown> = Array.isArray(json) ? ([...json] as never) : { ...Object(json) };
  copy[name] = change(copy[name], rest, to);
  return copy;
}

const token = 'zqxjkvbpyg';
const forms: readonly ((value: unknown) => unknown)[] = [
  () => token,
  () => [token],
  () => ({ a: token }),
  (value) => (isObject(value) ? { ...value, extra: token } : { extra: token }),
];

/** All that is stored of a request, and what its base64 stands for. */
function printStored(http: Fixture['http'], sent: unknown): string {
  const captures = readCaptures({
    path: http.path ?? '/',
    query: new URLSearchParams(),
    headers: http.headers,
    body: Buffer.from(JSON.stringify(sent)),
  });
  const print = ({ body, ...others }: (typeof captures)[number]) =>
    [JSON.stringify(others), body, body.toString('base64url')].join();
  const stored = captures.map(print).join();
  const encoded = stored.match(/[A-Za-z0-9+/_-]{8,}={0,2}/g) ?? [];
  return stored + encoded.map((each) => Buffer.from(each, 'base64').toString('latin1')).join();
}

describe('an envelope in which a value was changed or added', () => {
  const cases = fixtures.flatMap(({ name, http }) =>
    listPaths(http.body).map((at) => ({ title: `${name}: ${at.join('.')}`, http, at })),
  );

  it('is stored with that value, wherever it is', () => {
    const lost = sample(cases).flatMap(({ title, http, at }) =>
      forms.flatMap((form) => {
        const body = change(http.body, at, form);
        const path = [...at, ...(form === forms[3] ? ['extra'] : [])].join('.');
        const isLeftOut = ofTheWay.test(at.join('.')) || (/eventarc/.test(title) && ofEventarc.test(path));
        return isLeftOut || printStored(http, body).includes(token) ? [] : [`${title} ${form(1)}`];
      }),
    );
    assert.deepEqual(lost, []);
  });
});

describe('a Kafka record', () => {
  const record = { topic: 'orders', partition: 3, offset: 7, value: '{"id":1}' };

  it('keeps a time of another form, and names it', () => {
    const { body, occurredAt, ignored, metadata } = readObject({ ...record, timestamp: 'yesterday' });
    assert.deepEqual(
      [body.toString(), occurredAt, ignored, metadata?.ignored],
      ['{"id":1}', null, ['timestamp'], { timestamp: 'yesterday' }],
    );
  });

  it('whose headers have members of another form is a message itself', () => {
    const sent = { ...record, headers: [{ key: 'tenant', value: 'acme', type: 'text' }] };
    assert.equal(readObject(sent).body.toString(), JSON.stringify(sent));
  });

  it('of kcat has its value once', () => {
    const sent = { ...record, value: undefined, broker: 1, key: null, payload: 'a text' };
    const { transport, body, ignored, metadata } = readObject(sent);
    assert.deepEqual([transport, body.toString(), ignored, metadata], ['kcat', 'a text', [], null]);
  });
});

describe('a failed row of Dataflow', () => {
  const read = (payloadBytes: string, payloadString: string) => {
    const { body, metadata } = readObject({ errorMessage: 'e', payloadBytes, payloadString });
    return [body.toString(), metadata];
  };

  it('names the one of two payloads that is not the message, unless they are equal', () => {
    assert.deepEqual(read('b25l', 'one'), ['one', null]);
    assert.deepEqual(read('b25l', 'two'), ['one', { ignored: { payloadString: 'two' } }]);
    assert.deepEqual(read('b25l!', 'two'), ['two', { ignored: { payloadBytes: 'b25l!' } }]);
  });
});

describe('a message that RabbitMQ lists', () => {
  it('has no time in a text that is none', () => {
    const message = { payload: '{}', payload_encoding: 'string', properties: { timestamp: 'noon' } };
    const { occurredAt, ignored } = readObject(message);
    assert.deepEqual([occurredAt, ignored], [null, ['properties.timestamp']]);
  });
});

describe('a Pub/Sub push', () => {
  it('keeps a publish time of another form, and names it', () => {
    const message = { data: 'aGVsbG8=', messageId: '7', publishTime: '1.3.2026' };
    const { body, transport, ignored } = readObject({ message, subscription: 'projects/p/subscriptions/s' });
    assert.deepEqual([body.toString(), transport, ignored], ['hello', 'pubsub', ['message.publishTime']]);
  });

  it('names an id that differs from the one that is read', () => {
    const message = {
      data: 'aGVsbG8=',
      messageId: '7',
      message_id: '8',
      publishTime: '2026-03-01T00:00:00Z',
    };
    const read = (id: string) =>
      readObject({ message: { ...message, message_id: id }, subscription: 's' }).metadata;
    assert.deepEqual([read('7'), read('8')], [null, { ignored: { 'message.message_id': '8' } }]);
  });
});
