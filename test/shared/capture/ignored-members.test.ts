import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCredential } from '../../../shared/message/credential-headers.ts';
import * as request from '../../support/read-capture.ts';

/** Reads a body that is declared as a report: an object with other members is a message otherwise. */
const readCapture = (body: string | object) =>
  request.readCapture(body, { 'content-type': 'application/vnd.dead-letter-office.report+json' });

const report = { eventType: 'order', payload: 1, error: { message: 'm' } };

describe('a member that an envelope cannot hold', () => {
  it('keeps a CloudEvent whole that has two of equal names', () => {
    const event = '{"specversion": "1.0", "id": "1", "source": "/a", "type": "t", "data": 1, "data": 2}';
    const { body, unread } = request.readCapture(event, { 'content-type': 'application/cloudevents+json' });
    assert.deepEqual([body.toString(), unread], [event, 'not of the format cloudevents']);
  });

  it('keeps a failed row of Dataflow whole whose attributes have another form', () => {
    const row = { errorMessage: 'bad', payloadString: 'abc', timestamp: '2026-11-28T01:02:03Z' };
    const read = (attributes: unknown) => request.readCapture({ ...row, attributes });
    for (const attributes of [[], null]) assert.equal(read(attributes).body.toString(), 'abc');
    for (const attributes of ['x', [1], 7])
      assert.equal(read(attributes).body.toString(), JSON.stringify({ ...row, attributes }));
  });
});

describe('headers as names and values in turn', () => {
  it('are read if they are texts, and keep their envelope whole otherwise', () => {
    const row = { errorMessage: 'bad', payloadString: 'abc', timestamp: '2026-11-28T01:02:03Z' };
    const read = (attributes: unknown) => request.readCapture({ ...row, attributes });
    assert.deepEqual(read(['tenant', 'acme', 'empty', null]).headers, { tenant: 'acme', empty: '' });
    for (const value of [[1], 7, '\ud800']) {
      const { body } = read(['a', value]);
      assert.equal(body.toString(), JSON.stringify({ ...row, attributes: ['a', value] }));
    }
  });
});

describe('a member of an envelope that says nothing', () => {
  const record = { topic: 'orders', partition: 0, offset: 1, key: null, value: 'v', leader_epoch: 0 };
  const message = { data: 'e30=', messageId: '1' };

  for (const [name, envelope] of [
    ['timestampType', record],
    ['deliveryAttempt', { message, subscription: 'projects/p/subscriptions/s' }],
    ['ackId', { message, subscription: 'projects/p/subscriptions/s' }],
    ['tstype', { ...{ topic: 't', partition: 0, offset: 1, broker: 0, key: '' }, payload: 'v' }],
    ['timeSent', { errorMessage: 'bad', payloadString: 'abc' }],
  ] as const) {
    it(`is kept in the metadata if it is an object: ${name}`, () => {
      const read = (value: unknown) => request.readCapture({ ...envelope, [name]: value });
      assert.deepEqual([read('x').ignored, read(5).ignored, read(true).ignored], [[], [], []]);
      const { ignored, metadata } = read({ order: [1.5] });
      assert.deepEqual([ignored, metadata?.ignored], [[name], { [name]: { order: [1.5] } }]);
    });
  }
});

describe('a member of a report that is no fact', () => {
  it('is kept in the metadata, and its path is reported in the order of the report', () => {
    const { ignored, metadata } = readCapture({
      eventID: 'evt-1',
      ...report,
      error: { message: 'm', code: 7, cause: { a: [1] } },
      source: { foo: true, topic: 'orders' },
      metadata: { region: 'eu' },
      urgency: null,
    });
    assert.deepEqual(ignored, ['eventID', 'error.code', 'error.cause', 'source.foo', 'urgency']);
    assert.deepEqual(metadata, {
      region: 'eu',
      ignored: {
        eventID: 'evt-1',
        'error.code': 7,
        'error.cause': { a: [1] },
        'source.foo': true,
        urgency: null,
      },
    });
  });

  it('may have the name of a fact and a type that cannot be used', () => {
    const unusable = {
      eventId: { id: 1 },
      occurredAt: 'soon',
      source: 'x',
      headers: { tenant: 'acme', tags: { a: 1 }, size: 5 },
      traceparent: '00',
      contentType: ['a'],
      metadata: [1],
    };
    const capture = readCapture({ ...report, ...unusable });
    assert.deepEqual(capture.headers, { tenant: 'acme', size: '5' });
    assert.deepEqual(capture.metadata, {
      ignored: {
        eventId: { id: 1 },
        occurredAt: 'soon',
        source: 'x',
        'headers.tags': { a: 1 },
        traceparent: '00',
        contentType: ['a'],
        metadata: [1],
      },
    });
  });

  it('is each but the last of equal names, however deep its part, unless they are equal', () => {
    const { ignored, metadata, body, errorReason, headers } = readCapture(
      `{"payload": 1.50, "error": {"message": "a", "message": "b", "message": "b"}, "payload": 2,
        "headers": {"tenant": "a", "tenant": "b", "x-api-key": "s3cret", "x-api-key": ""}}`,
    );
    assert.deepEqual([body.toString(), errorReason], ['2', 'b']);
    assert.equal(headers.tenant, 'b');
    assert.deepEqual(ignored, [
      'error.message (1)',
      'payload (2)',
      'headers.tenant (1)',
      'headers.x-api-key (3)',
    ]);
    assert.deepEqual(metadata?.ignored, {
      'error.message (1)': '"a"',
      'payload (2)': '1.50',
      'headers.tenant (1)': '"a"',
      'headers.x-api-key (3)': 'withheld',
    });
  });

  it('is kept if its name looks like that of an earlier one', () => {
    const { metadata } = readCapture(
      '{"error": "a", "payload": 1, "payload": 2, "payload (2)": 3, "payload (3)": 4}',
    );
    assert.deepEqual(Object.values(metadata?.ignored ?? {}).sort(), ['1', 3, 4]);
  });

  it('may be a time on a day that no calendar has', () => {
    for (const occurredAt of ['2026-02-30T10:00:00Z', '2026-13-01', '2025-02-29 10:00'])
      assert.deepEqual(readCapture({ ...report, occurredAt }).ignored, ['occurredAt']);
    const retryAfter = 'Tue, 31 Feb 2026 10:00:00 GMT';
    assert.deepEqual(readCapture({ ...report, retryAfter }).ignored, ['retryAfter']);
    assert.deepEqual(readCapture({ ...report, occurredAt: '2028-02-29T10:00:00Z' }).ignored, []);
  });

  it('may be a time without a zone, if the time decides: when it failed, and when to retry', () => {
    for (const time of ['2026-11-25T10:00:00', '2026-11-25 10:00:00.123', '2026-11-25']) {
      const capture = readCapture({ ...report, failedAt: time, retryAfter: time });
      assert.deepEqual(capture.ignored, ['failedAt', 'retryAfter']);
      assert.deepEqual([capture.failedAt, capture.retryAfter], [null, null]);
    }
    for (const failedAt of ['2026-11-25T10:00:00Z', '2026-11-25T05:00:00-05:00', '2026-11-25 15:30:00+05:30'])
      assert.deepEqual(readCapture({ ...report, failedAt }).failedAt, new Date('2026-11-25T10:00:00Z'));
  });

  it('is no time of the message without a zone, which is in UTC wherever the instance is', (test) => {
    const { TZ } = process.env;
    test.after(() => {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    });
    process.env.TZ = 'America/New_York';
    for (const occurredAt of ['2026-11-25T10:00:00', '2026-11-25t10:00:00', 'Wed Nov 25 10:00:00 2026'])
      assert.deepEqual(readCapture({ ...report, occurredAt }).occurredAt, new Date('2026-11-25T10:00:00Z'));
  });

  it('is nothing that is empty, or that repeats what was read', () => {
    const { ignored } = readCapture({
      ...report,
      eventId: null,
      occurredAt: '',
      error: { message: 'm', class: 'E', name: 'E' },
      source: { key: 'k', keyBase64: 'aw==', consumerGroup: null, group: 'billing' },
    });
    assert.deepEqual(ignored, []);
  });

  it('is the second of two names that contradict each other', () => {
    const { errorClass, sourceKey, metadata } = readCapture({
      ...report,
      error: { message: 'm', class: 'A', name: 'B' },
      source: { key: 'k', keyBase64: 'eA==' },
    });
    assert.deepEqual([errorClass, sourceKey], ['A', 'x']);
    assert.deepEqual(metadata, { ignored: { 'error.name': 'B', 'source.key': 'k' } });
  });

  it('is kept as its JSON text, if a column of type jsonb cannot keep it exactly', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const texts = ['9007199254740993', '1.10', '[1e400]', String.raw`"\u0000"`, '{"a":1,"a":2}', deep];
    for (const text of texts) {
      const { metadata } = readCapture(`{"payload": 1, "error": "e", "a": ${text}, "metadata": {"b": 1}}`);
      assert.deepEqual(metadata, { b: 1, ignored: { a: text } });
    }
  });

  it('is kept as its value, however its strings are escaped', () => {
    const text = String.raw`{"payload":1,"error":"e","a":{ "url":"http:\/\/caf\u00e9", "n":1.5 }}`;
    assert.deepEqual(readCapture(text).metadata, { ignored: { a: { url: 'http://café', n: 1.5 } } });
  });

  it('does not replace metadata of the same name', () => {
    const capture = readCapture({
      ...report,
      foo: 1,
      metadata: { ignored: 'mine', damaged: ['x'], shop: 7 },
    });
    assert.deepEqual(capture.metadata, {
      shop: 7,
      ignored: { foo: 1, 'metadata.ignored': 'mine', 'metadata.damaged': ['x'] },
    });
  });

  it('has a path of its own, whatever its name', () => {
    const { ignored } = readCapture({
      ...report,
      'source.foo': 1,
      source: { foo: 2 },
      '': 3,
      constructor: 4,
    });
    assert.deepEqual(ignored, ['["source.foo"]', 'source.foo', '[""]', 'constructor']);
  });

  it('is never lost, whatever its name and its place', () => {
    const known = fc.constantFrom(
      'error',
      'source',
      'headers',
      'metadata',
      'eventId',
      'key',
      'source.a',
      'text',
    );
    const isWithheld = (each: string) => each.split(/[^\w.-]+/).some(isCredential);
    const name = fc.oneof(known, fc.string(), fc.constant('__proto__')).filter((each) => !isWithheld(each));
    const value = fc.noBias(fc.uuid());
    const values = fc.dictionary(name, fc.oneof(value, fc.array(value), fc.dictionary(name, value)));
    fc.assert(
      fc.property(values, fc.dictionary(name, values), (members, more) => {
        const sent = JSON.stringify({ ...more, ...members, payload: 1, error: 'e' });
        const kept = JSON.stringify(readCapture(sent));
        for (const [uuid] of sent.matchAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g))
          assert.ok(kept.includes(uuid));
      }),
    );
  });
});
