import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';

const id = '5b1f3a0e-7c1d-4f6e-9a53-0d5e1c2b7a90';
const toBase64 = (text: string) => Buffer.from(text).toString('base64');

/** As the settings `debezium.format.header` and `debezium.format.header.schemas.enable` decide. */
const notations = {
  'a JSON object with its schema': `{"schema":{"type":"string","optional":false},"payload":"${id}"}`,
  'a JSON string': `"${id}"`,
  text: id,
};

describe('the headers of Debezium Server', () => {
  for (const [title, value] of Object.entries(notations)) {
    it(`are kept as its HTTP sink sent them, and read: ${title}`, () => {
      const headers = { 'x-debezium-event_id': toBase64(value), 'x-debezium-tenant': 'acme' };
      const capture = read({ 'content-type': 'application/json', ...headers }, '{"op": "c"}');
      assert.deepEqual(capture.headers, headers);
      assert.deepEqual([capture.eventId, capture.eventKey], [id, `id:${id}`]);
    });

    it(`are read in a record of its Kafka sink: ${title}`, () => {
      const type = value.replace(id, 'order.created');
      const headers = [
        { key: 'id', value: toBase64(value) },
        { key: 'eventType', value: toBase64(type) },
      ];
      const record = {
        topic: 'outbox.event.order',
        partition: 0,
        offset: 7,
        key: null,
        value: 'e30=',
        headers,
      };
      const contentType = 'application/vnd.kafka.binary.v2+json';
      const capture = read({ 'content-type': contentType }, JSON.stringify([record]));
      assert.deepEqual([capture.eventId, capture.eventType], [id, 'order.created']);
      assert.deepEqual({ ...capture.headers }, { id: value, eventType: type });
    });
  }

  it('may contain JSON of their own, which is no text', () => {
    for (const value of ['{"payload": "x"}', '{"schema": {}, "payload": 7}', '["x"]', '{']) {
      const capture = read({ 'x-debezium-event_id': toBase64(value) }, '{"op": "c"}');
      assert.equal(capture.eventId, value);
    }
  });
});

function read(headers: Record<string, string>, body: string) {
  const [capture] = readCaptures({
    path: '/',
    query: new URLSearchParams(),
    headers,
    body: Buffer.from(body),
  });
  return capture ?? assert.fail('no event was read');
}
