import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Inbound } from '../../../functions/capture/message.ts';
import { readCaptures } from '../../../functions/capture/read-captures.ts';

const jsonForm = 'application/vnd.kafka.json.v2+json';

describe('a Kafka record', () => {
  it('keeps its value byte for byte, however its JSON was written', () => {
    const value = '{ "id": 9007199254740993, "a": 1, "a": 2.0,\n"s": "\\u0000 \\ud800 }]" }';
    const [capture] = readCaptures(request(jsonForm, `[{"value": ${value}, ${place}}]`));
    assert.equal(capture?.body.toString(), value);
  });

  it('has the last of several values, as JSON.parse does', () => {
    const [capture] = readCaptures(request(jsonForm, `{"value": 1, ${place}, "value": {"second": true}}`));
    assert.equal(capture?.body.toString(), '{"second": true}');
  });

  it('keeps an offset that no number holds', () => {
    const record = '{"topic": "orders", "partition": 0, "offset": 9007199254740993, "value": 1}';
    const [capture] = readCaptures(request(jsonForm, record));
    assert.equal(capture?.sourceOffset, '9007199254740993');
  });

  it('is JSON, quotes and all, where a string comes in the json form, and text in any other', () => {
    const record = `{"value": "caf\\u00e9", ${place}}`;
    const bodies = [jsonForm, 'application/vnd.kafka.text.v2+json', 'application/json'].map((contentType) =>
      readCaptures(request(contentType, record))[0]?.body.toString(),
    );
    assert.deepEqual(bodies, ['"caf\\u00e9"', 'café', 'café']);
  });

  it('keeps as JSON a string that has no bytes', () => {
    const [capture] = readCaptures(request('application/json', `{"value": "\\ud800", ${place}}`));
    assert.equal(capture?.body.toString(), '"\\ud800"');
  });

  it('may be nested as deep as the sender likes', () => {
    const value = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const [capture] = readCaptures(request(jsonForm, `{"value": ${value}, ${place}}`));
    assert.equal(capture?.body.toString(), value);
  });

  it('keeps headers of any name', () => {
    const headers = '[{"key": "__proto__", "value": "YQ=="}, {"key": "constructor", "value": "Yg=="}]';
    const [capture] = readCaptures(request(jsonForm, `{"value": 1, ${place}, "headers": ${headers}}`));
    assert.deepEqual(Object.entries(capture?.headers ?? {}), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('is the same event whether it comes as a record or through the Pub/Sub sink', () => {
    const value =
      '{"specversion": "1.0", "id": "1", "source": "/a", "type": "t", "data": {"id": 9007199254740993}}';
    const header = '{"key": "content-type", "value": "YXBwbGljYXRpb24vY2xvdWRldmVudHMranNvbg=="}';
    const [record] = readCaptures(request(jsonForm, `{"value": ${value}, ${place}, "headers": [${header}]}`));
    const attributes = { 'kafka.topic': 'orders', 'kafka.partition': '3', 'kafka.offset': '404269' };
    const message = { data: Buffer.from(value).toString('base64'), attributes, messageId: '1' };
    const push = JSON.stringify({ message, subscription: 'projects/p/subscriptions/s' });
    const [pushed] = readCaptures(request('application/json', push));
    assert.equal(record?.eventKey, 'ce:/a#1');
    assert.deepEqual(
      [pushed?.eventKey, pushed?.carrierId, pushed?.sourceKind, pushed?.body],
      [record.eventKey, record.carrierId, record.sourceKind, record.body],
    );
  });

  it('is told from its neighbours in an array that are none', () => {
    const captures = readCaptures(
      request('application/json', `[{"value": 1, ${place}}, {"orderId": "A-1001"}]`),
    );
    assert.deepEqual(
      captures.map(({ sourceKind }) => sourceKind),
      ['kafka', 'unknown'],
    );
  });
});

const place = '"topic": "orders", "partition": 3, "offset": 404269';

function request(contentType: string, body: string): Inbound {
  return {
    path: '/',
    query: new URLSearchParams(),
    headers: { 'content-type': contentType },
    body: Buffer.from(body),
  };
}
