import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openEncodedReader } from '../../../shared/capture/decode-text.ts';
import { compileFormat, matches } from '../../../shared/capture/formats/compile-format.ts';
import { openRequest } from '../../../shared/capture/formats/take-message.ts';
import { findFailureHeaders } from '../../../shared/message/failure-headers.ts';
import { loadObject, readObject } from '../../support/fixture-objects.ts';
import { readCapture } from '../../support/read-capture.ts';

describe('kcat', () => {
  const record = { topic: 'orders', partition: 0, offset: 7, tstype: 'create', ts: 1, broker: 1, key: 'k' };

  it('prints a value that it decoded by its Avro schema as JSON, which an exact copy may replace', () => {
    const { body, origin, metadata } = readObject({
      ...record,
      value_schema_id: 42,
      payload: { total: 1 },
    });
    assert.deepEqual([body.toString(), origin], ['{"total":1}', 'bridge']);
    assert.deepEqual(metadata, { envelope: { value_schema_id: 42 } });
  });

  it('prints an error in place of a value that it could not decode, which is kept as it is', () => {
    const json = { ...record, payload: null, payload_error: 'unknown schema' };
    const { transport, body } = readObject(json);
    assert.deepEqual([transport, body.toString()], ['value', JSON.stringify(json)]);
  });

  it('prints headers that are no text with their control characters, which are kept as bytes', () => {
    const { headers } = readObject({
      ...record,
      headers: ['count', '\0\0\0\u0003', 'none', null],
      payload: 'v',
    });
    assert.deepEqual({ ...headers }, { count: { base64: 'AAAAAw==' }, none: '' });
  });

  it('may have a CloudEvent as its value', () => {
    const event = { specversion: '1.0', id: 'e-1', source: '/orders', type: 'order.placed', data: {} };
    const { eventType, eventId, contentType } = readObject({ ...record, payload: JSON.stringify(event) });
    assert.deepEqual(
      [eventType, eventId, contentType],
      ['order.placed', 'e-1', 'application/cloudevents+json'],
    );
  });

  it('prints headers in pairs: any other list is kept as it is', () => {
    const { transport } = readObject({ ...record, headers: ['alone'], payload: 'v' });
    assert.equal(transport, 'value');
  });
});

describe('a dead letter of Pulsar', () => {
  it('names the topic and the consumer that failed, and is sent again without them', () => {
    const names = ['REAL_TOPIC', 'ORIGIN_MESSAGE_ID', 'RECONSUMETIMES', 'REAL_SUBSCRIPTION'];
    const values = ['persistent://public/default/orders', '12:3:0', '5', 'billing'];
    const properties = Object.fromEntries(
      [...names, 'tenant'].map((name, i) => [`pulsarproperties-${name.toLowerCase()}`, values[i] ?? 'acme']),
    );
    const sent = { pulsartopic: 'persistent://public/default/orders-billing-DLQ', pulsarmessageid: '1:2:0' };
    const capture = readCapture('{"orderId":4711}', { ...sent, ...properties });
    assert.equal(capture.eventKey, 'pulsar:persistent://public/default/orders/12:3:0');
    const { eventType, sourceTopic, consumer, sourceAttempts } = capture;
    assert.deepEqual(
      { eventType, sourceTopic, consumer, sourceAttempts },
      { eventType: 'orders', sourceTopic: 'orders', consumer: 'billing', sourceAttempts: 5 },
    );
    const isOfFailure = findFailureHeaders(capture.headers, capture.sourceKind);
    assert.deepEqual(
      Object.keys(capture.headers).filter((name) => !isOfFailure(name)),
      ['tenant'],
    );
  });

  it('has the headers that its sink was told to add', () => {
    const sent = {
      pulsartopic: 't',
      pulsarmessageid: '1:2:0',
      'pulsarproperties-a': '1',
      'user-agent': 'Java',
    };
    assert.deepEqual(readCapture('1', { ...sent, 'x-tenant': 'acme' }).headers, {
      'x-tenant': 'acme',
      a: '1',
    });
  });
});

describe('a header of an application', () => {
  it('is its own, though its name begins like those of SmallRye', () => {
    const own = ['dead-letter-cause-type', 'dead-letter-policy', 'delayed-retry-of'];
    const headers = own.map((key) => ({ key, value: 'x' }));
    const capture = readObject({ topic: 'orders', partition: 0, offset: 7, value: 'v', headers });
    const isOfFailure = findFailureHeaders(capture.headers, capture.sourceKind);
    assert.deepEqual([capture.format, Object.keys(capture.headers).filter(isOfFailure)], ['kafka', []]);
  });
});

describe('a job', () => {
  it('of Oban and of Laravel has the reason of its last error, and is the message', () => {
    const job = {
      ...{ id: 12, state: 'discarded', queue: 'mailers', worker: 'App.Mailer', args: { id: 7 } },
      errors: [{ at: '2026-11-25T10:00:00Z', attempt: 3, error: '** (RuntimeError) smtp down\n    (app)' }],
      ...{ attempt: 3, max_attempts: 3, inserted_at: '2026-11-25T09:00:00' },
    };
    const row = {
      ...{ id: 5, uuid: '9f0c', connection: 'redis', queue: 'default', payload: '{"uuid":"9f0c"}' },
      ...{ exception: 'QueryException: refused\n#0 run()', failed_at: '2026-11-25 10:00:00' },
    };
    assert.deepEqual(
      [job, row]
        .map(readObject)
        .map(({ format, eventType, errorReason, body }) => [format, eventType, errorReason, body.toString()]),
      [
        ['oban', 'App.Mailer', '** (RuntimeError) smtp down', JSON.stringify(job)],
        ['laravel', 'unknown', 'QueryException: refused', JSON.stringify(row)],
      ],
    );
  });

  it('of BullMQ that stalled has no stack trace', () => {
    const job = { ...loadObject('317-bullmq-failed-job'), stacktrace: null, failedReason: 'job stalled' };
    const { format, errorReason, errorStacktrace } = readObject(job);
    assert.deepEqual([format, errorReason, errorStacktrace], ['bullmq', 'job stalled', null]);
  });

  it('has no count of attempts that its column cannot hold', () => {
    const attempts = [1, 2 ** 31 - 2, 2 ** 31 - 1].map((retry_count) => {
      const job = { jid: 'j', class: 'Charge', args: [], error_class: 'Timeout', retry_count };
      return readCapture(job).sourceAttempts;
    });
    assert.deepEqual(attempts, [2, 2 ** 31 - 1, null]);
  });

  it('that succeeded in the end did not fail', () => {
    const bull = { ...loadObject('317-bullmq-failed-job'), returnvalue: { sent: true } };
    assert.equal(readObject(bull).format, null);
  });
});

describe('a template of Dataflow', () => {
  it('has no message in an empty payload, and is kept whole', () => {
    const failure = { errorMessage: 'no such field', payloadBytes: '', payloadString: '{}' };
    const { format, body } = readCapture(failure);
    assert.deepEqual([format, body.toString()], ['dataflow', JSON.stringify(failure)]);
  });
});

describe('a check that there is no value', () => {
  const format = compileFormat({
    ...{ name: 'job', source: '', of: 'headers' },
    when: { 'json:/result | json:/value': 'none' },
  });
  const request = {
    path: '/',
    query: new URLSearchParams(),
    headers: {},
    sentType: '',
    body: Buffer.alloc(0),
    readEncoded: openEncodedReader(),
  };

  it('holds for all of its places', () => {
    const isMet = (json: object) => matches(format, openRequest({ ...request, json, text: undefined }));
    assert.deepEqual(
      [{}, { result: null }, { result: 1 }, { value: 1 }, { result: null, value: {} }].map(isMet),
      [true, true, false, false, false],
    );
  });
});
