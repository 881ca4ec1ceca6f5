import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { aPush, type Sent, useCases } from '../../support/cases.ts';

const report = '{"eventType":"order.created","eventId":"r-1","payload":{"orderId":4711.0},"error":"503"}';
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('a report', () => {
  const cases = useCases();

  for (const [name, body, headers] of [
    ['with a byte-order mark', Buffer.from(`\uFEFF${report}`), {}],
    ['in UTF-16', Buffer.from(report, 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }],
    ['compressed by zstd', zstdCompressSync(report), { 'content-encoding': 'zstd' }],
    ['compressed by x-gzip', gzipSync(report), { 'content-encoding': 'x-gzip' }],
    ['compressed by deflate without a frame', deflateRawSync(report), { 'content-encoding': 'deflate' }],
    ['compressed by gzip, and by nothing', gzipSync(report), { 'content-encoding': 'gzip, identity' }],
  ] as const) {
    it(`${name} is read as any other`, async () => {
      const [sent] = await cases.redeliver([{ headers, body }]);
      const [row] = await cases.rows();
      assert.deepEqual([row?.event_id, row?.event_type, row?.error_reason], ['r-1', 'order.created', '503']);
      assert.equal(sent?.body.toString(), '{"orderId":4711.0}');
    });
  }

  for (const [body, unread] of [
    ['{"eventType": "a", "payload": NaN, "error": "e"}', 'not JSON: position 30'],
    ['{"eventType":"a","error":"line one\nline two"}', 'not JSON: position 25'],
    ["{'eventType': 'a', 'error': 'e'}", 'not JSON: position 1'],
    ['{"eventType":"a","error":"e",}', 'not JSON: position 29'],
  ] as const) {
    it(`that is no JSON is kept, and the answer and the row say where: ${unread}`, async () => {
      const [answer] = await cases.answers({ body });
      const [sent] = await cases.redeliver([]);
      const [row] = await cases.rows();
      assert.deepEqual([answer?.unread, row?.metadata], [unread, { unread }]);
      assert.equal(sent?.body.toString(), body);
    });
  }
});

describe('the JSON of a message', () => {
  const cases = useCases();
  const json = '{"orderId":4711}';
  const unwrapped = { 'x-goog-pubsub-message-id': '1', 'x-goog-pubsub-subscription-name': 's' };
  const event = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/a', 'ce-type': 't' };
  const push = (body: Buffer, attributes: Record<string, string>): Sent => ({
    body: aPush(body, attributes),
  });
  const record = (value: Buffer, encoding: string): Sent => ({
    headers: { 'content-type': 'application/vnd.kafka.binary.v2+json' },
    body: [
      {
        ...{ topic: 'orders', partition: 0, offset: 1, key: null, value: value.toString('base64') },
        headers: [{ key: 'Content-Encoding', value: Buffer.from(encoding).toString('base64') }],
      },
    ],
  });

  for (const [name, bytes, send] of [
    ['gzip in Pub/Sub', gzipSync(json), (body) => push(body, { 'content-encoding': 'gzip' })],
    ['GZIP in Pub/Sub', gzipSync(json), (body) => push(body, { 'Content-Encoding': 'GZIP' })],
    ['br in Pub/Sub', brotliCompressSync(json), (body) => push(body, { 'content-encoding': 'br' })],
    [
      'deflate without a frame in Pub/Sub',
      deflateRawSync(json),
      (body) => push(body, { 'content-encoding': 'deflate' }),
    ],
    [
      'gzip, and nothing, in Pub/Sub',
      gzipSync(json),
      (body) => push(body, { 'content-encoding': 'gzip, identity' }),
    ],
    ['zstd in Kafka', zstdCompressSync(json), (body) => record(body, 'zstd')],
    ['deflate in Kafka', deflateSync(json), (body) => record(body, 'deflate')],
    ['UTF-16', Buffer.from(json, 'utf16le'), (body) => ({ body })],
    ['UTF-16 in Pub/Sub', Buffer.from(json, 'utf16le'), (body) => push(body, {})],
    ['UTF-16, big-endian, in Pub/Sub', bigEndian(json), (body) => push(body, {})],
    ['UTF-8 with a mark in Pub/Sub', Buffer.from(`\uFEFF${json}`), (body) => push(body, {})],
    ['UTF-16 in an unwrapped push', Buffer.from(json, 'utf16le'), (body) => ({ headers: unwrapped, body })],
    ['UTF-8 with a mark in a CloudEvent', Buffer.from(`\uFEFF${json}`), (body) => ({ headers: event, body })],
  ] as readonly (readonly [string, Buffer, (body: Buffer) => Sent])[]) {
    it(`is shown, and sent as the bytes that came: ${name}`, async () => {
      const [sent] = await cases.redeliver([send(bytes)]);
      const [row] = await cases.rows();
      assert.deepEqual(row?.payload, { orderId: 4711 });
      assert.deepEqual(sent?.body, bytes);
    });
  }

  it('is not shown if it is larger than what is read, or other bytes than declared', async () => {
    const large = gzipSync(JSON.stringify('x'.repeat(2 ** 20)));
    for (const bytes of [large, Buffer.from([0xff, 0, 1])]) {
      const [row] = await cases.rows(push(bytes, { 'content-encoding': 'gzip' }));
      assert.equal(row?.payload_encoding, 'base64');
    }
  });

  for (const [name, data, headers] of [
    ['compressed', (event: string) => gzipSync(event), { 'content-encoding': 'gzip' }],
    ['with a byte-order mark', (event: string) => Buffer.from(`\ufeff${event}`), {}],
    ['in UTF-16', (event: string) => Buffer.from(event, 'utf16le'), {}],
  ] as const) {
    it(`is known by what it says as a CloudEvent ${name}, whose bytes stay`, async () => {
      const event =
        '{"specversion":"1.0","id":"e-7","source":"/shop","type":"order.created","data":{"n":1.50}}';
      const request = push(data(event), { 'content-type': 'application/cloudevents+json', ...headers });
      const [sent] = await cases.redeliver([request]);
      const [row] = await cases.rows();
      assert.deepEqual([row?.event_type, row?.event_key], ['order.created', 'ce:/shop#e-7']);
      assert.deepEqual(
        [sent?.body, sent?.headers['content-type']],
        [data(event), 'application/cloudevents+json'],
      );
    });
  }

  for (const [encoding, bytes] of [
    ['gzip', gzipSync(json).subarray(0, -4)],
    ['gzip', Buffer.concat([gzipSync(json), Buffer.from(json)])],
    ['deflate', Buffer.concat([deflateSync(json), Buffer.from(json)])],
    ['deflate', Buffer.concat([deflateRawSync(json), Buffer.from(json)])],
    ['br', Buffer.concat([brotliCompressSync(json), Buffer.from(json)])],
    ['zstd', Buffer.concat([zstdCompressSync(json), Buffer.from(json)])],
    ['gzip', Buffer.from(json)],
  ] as const) {
    it(`is kept with each byte if it is not all ${encoding}, and the answer says so: ${bytes.toString('hex', 0, 30)}`, async () => {
      const headers = { 'content-encoding': encoding };
      const answers = await cases.answers({ headers, body: bytes }, push(bytes, headers));
      const sent = await cases.redeliver([]);
      assert.deepEqual(
        [...answers.map(({ unread }) => unread), ...sent.map(({ body }) => body)],
        [`not ${encoding}`, `not ${encoding}`, bytes, bytes],
      );
      assert.ok(sent.every((each) => each.headers['content-encoding'] === encoding));
    });
  }

  for (const [encoding, compress] of [
    ['zstd', zstdCompressSync],
    ['gzip', gzipSync],
  ] as const) {
    it(`is in all parts that are compressed by ${encoding} one after the other`, async () => {
      const bytes = Buffer.concat(['{"orderId"', ':4711}'].map((part) => compress(part)));
      const headers = { 'content-encoding': encoding };
      const rows = await cases.rows({ headers, body: bytes }, push(bytes, headers));
      assert.deepEqual(
        rows.map(({ payload }) => payload),
        [{ orderId: 4711 }, { orderId: 4711 }],
      );
    });
  }

  it('is read by the format that its text has', async () => {
    const failed = {
      ...{ class: 'Charge', args: [1.5], jid: 'b4a577edbccf1d805744efa9', queue: 'q' },
      error_message: 'boom',
      error_class: 'E',
      failed_at: 1690000000.1,
      retry_count: 2,
    };
    const body = Buffer.from(JSON.stringify(failed), 'utf16le');
    const [sent] = await cases.redeliver([{ body }]);
    const [row] = await cases.rows();
    assert.deepEqual([row?.error_reason, row?.source_kind], ['E: boom', 'sidekiq']);
    assert.deepEqual(sent?.body, body);
  });

  for (const body of [
    String.raw`{"a":1e400000,"b":-0,"c":1E+2,"k":1,"k":2,"s":"\ud800","n":"\u0000","big":1234567890123456789.10}`,
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    `${'{"x":'.repeat(5000)}1${'}'.repeat(5000)}`,
  ]) {
    it(`is exact if jsonb cannot hold it: ${body.slice(0, 20)}`, async () => {
      // The only element of an array, which is a batch.
      const [sent] = await cases.redeliver([{ body: `[${body}]` }]);
      assert.equal(sent?.body.toString(), body);
    });
  }

  it('has no charset of its array, of which the parts are in UTF-8', async () => {
    const type = 'application/vnd.dead-letter-office.report+json';
    const headers = { 'content-type': `${type}; charset=iso-8859-1` };
    const sent = await cases.redeliver([{ headers, body: Buffer.from('["größer",1]', 'latin1') }]);
    assert.deepEqual(
      sent.map((each) => [each.body.toString(), each.headers['content-type']]),
      [
        ['"größer"', type],
        ['1', type],
      ],
    );
  });

  it('is not sought in bytes of other kinds', async () => {
    const parts = Buffer.from(
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\x00\xff\xfe\r\n--x--\r\n',
      'latin1',
    );
    for (const [type, body] of [
      ['multipart/form-data; boundary="x"', parts],
      ['application/cloudevents+protobuf', Buffer.from('0a0474657374120b2f736f75', 'hex')],
      ['text/csv; charset=Shift_JIS', Buffer.from('93fa967b2c31300d0a', 'hex')],
    ] as const) {
      const sent = await cases.redeliver([{ headers: { 'content-type': type }, body }]);
      const last = sent.at(-1);
      assert.deepEqual([last?.headers['content-type'], last?.body], [type, body]);
    }
  });
});
