import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Inbound } from '../../../shared/capture/message.ts';
import { readCaptures } from '../../../shared/capture/read-captures.ts';

const jsonForm = 'application/vnd.kafka.json.v2+json';

describe('a Kafka record', () => {
  it('keeps its value byte for byte, in any JSON notation', () => {
    const value = '{ "id": 9007199254740993, "a": 1, "a": 2.0,\n"s": "\\u0000 \\ud800 }]" }';
    const [capture] = readCaptures(request(jsonForm, `[{"value": ${value}, ${position}}]`));
    assert.equal(capture?.body.toString(), value);
  });

  it('that has two values is the message itself', () => {
    const record = `{"value": 1, ${position}, "value": {"second": true}}`;
    const [capture] = readCaptures(request(jsonForm, record));
    assert.equal(capture?.body.toString(), record);
  });

  it('keeps an offset past 2^53', () => {
    const record = '{"topic": "orders", "partition": 0, "offset": 9007199254740993, "value": 1}';
    const [capture] = readCaptures(request(jsonForm, record));
    assert.equal(capture?.sourceOffset, '9007199254740993');
  });

  it('with a string is JSON with quotes in the json form, and text in other forms', () => {
    const record = `{"value": "caf\\u00e9", ${position}}`;
    const bodies = [jsonForm, 'application/vnd.kafka.text.v2+json', 'application/json'].map((contentType) =>
      readCaptures(request(contentType, record))[0]?.body.toString(),
    );
    assert.deepEqual(bodies, ['"caf\\u00e9"', 'café', 'café']);
  });

  it('keeps a string with a lone surrogate as JSON', () => {
    const [capture] = readCaptures(request('application/json', `{"value": "\\ud800", ${position}}`));
    assert.equal(capture?.body.toString(), '"\\ud800"');
  });

  it('can be nested 100,000 levels deep', () => {
    const value = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const [capture] = readCaptures(request(jsonForm, `{"value": ${value}, ${position}}`));
    assert.equal(capture?.body.toString(), value);
  });

  it('keeps headers with names of Object.prototype', () => {
    const headers = '[{"key": "__proto__", "value": "YQ=="}, {"key": "constructor", "value": "Yg=="}]';
    const [capture] = readCaptures(request(jsonForm, `{"value": 1, ${position}, "headers": ${headers}}`));
    assert.deepEqual(Object.entries(capture?.headers ?? {}), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('is the same event as a record and through the Pub/Sub sink connector', () => {
    const value =
      '{"specversion": "1.0", "id": "1", "source": "/a", "type": "t", "data": {"id": 9007199254740993}}';
    const header = '{"key": "content-type", "value": "YXBwbGljYXRpb24vY2xvdWRldmVudHMranNvbg=="}';
    const [record] = readCaptures(
      request(jsonForm, `{"value": ${value}, ${position}, "headers": [${header}]}`),
    );
    const attributes = { 'kafka.topic': 'orders', 'kafka.partition': '3', 'kafka.offset': '404269' };
    const message = { data: Buffer.from(value).toString('base64'), attributes, messageId: '1' };
    const push = JSON.stringify({ message, subscription: 'projects/p/subscriptions/s' });
    const [pushed] = readCaptures(request('application/json', push));
    assert.equal(record?.eventKey, 'ce:/a#1');
    assert.deepEqual(
      [pushed?.eventKey, pushed?.deliveryId, pushed?.sourceKind, pushed?.body],
      [record.eventKey, record.deliveryId, record.sourceKind, record.body],
    );
  });

  it('is another arrival than the record at its position in a topic that was created again', () => {
    const [old, created] = [1_764_000_000_000, 1_764_000_001_234].map((timestamp) => {
      const [record] = readCaptures(
        request(jsonForm, `{"value": 1, "timestamp": ${timestamp}, ${position}}`),
      );
      return record;
    });
    assert.equal(old?.eventKey, created?.eventKey);
    assert.notEqual(old?.deliveryId, created?.deliveryId);
  });

  it('is recognized in an array with elements that are no records', () => {
    const captures = readCaptures(
      request('application/json', `[{"value": 1, ${position}}, {"orderId": "A-1001"}]`),
    );
    assert.deepEqual(
      captures.map(({ sourceKind }) => sourceKind),
      ['kafka', 'unknown'],
    );
  });

  it('beside elements that are no records is read in the form of the media type', () => {
    const body = `[{"value": "aGk=", ${position}}, {"orderId": "A-1001"}]`;
    const captures = readCaptures(request('application/vnd.kafka.binary.v2+json', body));
    assert.deepEqual(
      captures.map((capture) => [capture.body.toString(), capture.contentType]),
      [
        ['hi', null],
        ['{"orderId": "A-1001"}', 'application/vnd.kafka.binary.v2+json'],
      ],
    );
  });

  it('of the binary form whose value is no base64 is kept whole, and says so', () => {
    const body = `{"value": "%%%", "headers": [{"key": "a", "value": "AA=="}], ${position}}`;
    const [capture] = readCaptures(request('application/vnd.kafka.binary.v2+json', body));
    assert.deepEqual([capture?.body.toString(), capture?.unread], [body, 'not of the format kafka']);
  });
});

const position = '"topic": "orders", "partition": 3, "offset": 404269';

function request(contentType: string, body: string): Inbound {
  return {
    path: '/',
    query: new URLSearchParams(),
    headers: { 'content-type': contentType },
    body: Buffer.from(body),
  };
}
