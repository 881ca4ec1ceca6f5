import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { openSources } from '../../../shared/capture/sources/find-source.ts';
import { readAll, readCapture } from '../../support/read-capture.ts';

const json = { 'content-type': 'application/json' };
const report = '{"eventType": "order", "payload": {"a": 1.50}, "error": "no stöck"}';
const order = '{"customer": "Jürgen"}';
const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

const texts: readonly [name: string, encode: (text: string) => Buffer, headers: Record<string, string>][] = [
  ['a byte-order mark', (text) => Buffer.concat([mark, Buffer.from(text)]), json],
  [
    'the charset of its media type',
    (text) => Buffer.from(text, 'latin1'),
    { 'content-type': 'application/json; charset=iso-8859-1' },
  ],
  ['UTF-16 without a mark', (text) => Buffer.from(text, 'utf16le'), json],
  ['UTF-16 with a mark', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'), json],
  ['UTF-16, big-endian,', bigEndian, json],
];

/** Headers of transports whose messages are the bodies of their requests. */
const transports = {
  'pubsub-unwrapped': { 'x-goog-pubsub-message-id': '1', 'x-goog-pubsub-subscription-name': 's' },
  cloudevents: { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/a', 'ce-type': 't' },
  pulsar: { pulsartopic: 't', pulsarmessageid: '1' },
  'cloud-tasks': { 'x-cloudtasks-queuename': 'q', 'x-cloudtasks-taskname': 't' },
};

const ndjson = (headers: Record<string, string>) => ({
  'content-type': (headers['content-type'] ?? '').replace('json', 'x-ndjson'),
});

describe('a body', () => {
  for (const [name, encode, headers] of texts) {
    it(`with ${name} is read as a report`, () => {
      const { eventType, errorReason, body } = readCapture(encode(report), headers);
      assert.deepEqual([eventType, errorReason, body.toString()], ['order', 'no stöck', '{"a": 1.50}']);
    });

    it(`with ${name} is a message with its bytes, which is shown as JSON`, () => {
      const capture = readCapture(encode(order), headers);
      assert.deepEqual(capture.body, encode(order));
      assert.deepEqual([capture.payload.encoding, capture.payload.content], ['json', order]);
    });

    for (const [transport, named] of Object.entries(transports)) {
      it(`with ${name} has its bytes, brought by ${transport}`, () => {
        const capture = readCapture(encode(order), { ...named, ...headers });
        assert.deepEqual([capture.transport, capture.body], [transport, encode(order)]);
        assert.equal(capture.payload.content, order);
      });
    }

    it(`with ${name} is split into its lines`, () => {
      const lines = readAll(encode(`${order}\n${order}\n`), { ...headers, ...ndjson(headers) });
      assert.deepEqual(
        lines.map(({ body }) => body.toString()),
        [order, order],
      );
    });

    it(`with ${name} is a message whose member "error" is the reason`, () => {
      const capture = readCapture(encode('{"order": 1, "error": "no stöck"}'), headers);
      assert.equal(capture.errorReason, 'no stöck');
    });

    it(`with ${name} has each digit of the id that its source names`, () => {
      const record = { name: 'shop', id: ['json:/id'], keepHeaders: [], withholdHeaders: [] };
      const { source, path } = openSources([record])('/capture/shop');
      const body = encode('{"id": 12345678901234567890}');
      const [capture] = readCaptures({ path, query: new URLSearchParams(), headers, body, source });
      assert.equal(capture?.eventId, '12345678901234567890');
    });
  }

  const unread: readonly [text: string | Buffer, reason: string, charset?: string][] = [
    ['{"a": NaN}', 'not JSON: position 6'],
    ['{"a": 1,}', 'not JSON: position 8'],
    ['{"eventType": "order"', 'not JSON: position 21'],
    [Buffer.from('{"a": "\xfc"}', 'latin1'), 'not UTF-8: position 7'],
    ['\ufeff{"a": 1,}', 'not JSON: position 8'],
    [Buffer.from('{"a": 1,}', 'utf16le'), 'not JSON: position 8'],
    [Buffer.from('\ufeff{"a": 1,}', 'utf16le'), 'not JSON: position 8', 'utf-16'],
    [Buffer.from('{"a": "\xfc",}', 'latin1'), 'not JSON: position 10', 'iso-8859-1'],
    [Buffer.from('{"a": "\xff"}', 'latin1'), 'not EUC-JP: position 7', 'euc-jp'],
  ];
  for (const [at, position] of [
    [1_000_000, '1000000'],
    [2_000_000, 'unknown'],
  ] as const)
    it(`of 3 MB that is no JSON has a position within the first MiB: ${position}`, () => {
      const text = `[${'1,'.repeat(150_000)}`.padEnd(at).padEnd(3_000_000, 'x ');
      assert.equal(readCapture(text, json).unread, `not JSON: position ${position}`);
    });

  for (const [text, reason, charset = 'utf-8'] of unread) {
    it(`that cannot be read as it is declared says why, and keeps its bytes: ${charset}, ${reason}`, () => {
      const capture = readCapture(text, { 'content-type': `application/json; charset=${charset}` });
      assert.deepEqual([capture.unread, capture.metadata], [reason, { unread: reason }]);
      assert.deepEqual(capture.body, Buffer.from(text));
    });
  }

  for (const [transport, headers] of Object.entries(transports)) {
    it(`that is not JSON as it is declared says so, brought by ${transport}`, () => {
      const capture = readCapture('{"a": NaN}', { ...headers, ...json });
      assert.deepEqual([capture.transport, capture.unread], [transport, 'not JSON: position 6']);
    });
  }

  it('that is compressed in a push, and not JSON as it is declared, says where', () => {
    const attributes = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const message = { messageId: '1', data: gzipSync('{"a": 1,}').toString('base64'), attributes };
    assert.equal(readCapture({ message, subscription: 's' }).unread, 'not JSON: position 8');
  });

  for (const [encoding, name] of [
    ['snappy', 'snappy'],
    ['gzip, LZ4', 'lz4'],
    ['br, br, br, br', 'br, br, br, br'],
  ] as const)
    it(`of the Content-Encoding ${encoding} says which ones are read, and is kept as sent`, () => {
      const bytes = encoding.startsWith('gzip')
        ? Buffer.from([0xff, 1])
        : Buffer.from('\xff{"a":1}', 'latin1');
      const capture = readCapture(bytes, { 'content-encoding': encoding, 'content-type': 'text/plain' });
      assert.equal(
        capture.unread,
        `Content-Encoding "${name}" is none of gzip, x-gzip, deflate, br, zstd (up to three): kept as sent`,
      );
      assert.deepEqual([capture.body, capture.headers['content-encoding']], [bytes, encoding]);
    });

  it('in a charset that its sender calls its encoding is read, and says so', () => {
    const headers = { 'content-encoding': 'utf-16', 'content-type': 'application/json' };
    const { unread, payload } = readCapture(Buffer.from(order, 'utf16le'), headers);
    assert.match(String(unread), /^Content-Encoding "utf-16" is none/);
    assert.equal(payload.content, order);
  });

  it('that nobody declares as JSON is not wrong', () => {
    assert.equal(readCapture('{"a": NaN}', { 'content-type': 'text/plain' }).unread, null);
  });
});
