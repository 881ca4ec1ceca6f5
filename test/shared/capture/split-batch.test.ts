import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Inbound } from '../../../shared/capture/message.ts';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { readAll } from '../../support/read-capture.ts';

const json = { 'content-type': 'application/json' };
const ignored = { 'webhook-id': 'w-1', 'ce-token': 'withheld', 'x-shopify-webhook-id': 's-1' };

describe('a batch', () => {
  it('keeps each element byte for byte', () => {
    const elements = ['{ "id": 9007199254740993, "a": 1, "a": 2.0 }', '"\\u0000 \\ud800 ]"', '1.0'];
    const captures = readCaptures(request(`[ ${elements.join(' ,\n')} ]`));
    assert.deepEqual(
      captures.map(({ body }) => body.toString()),
      elements,
    );
  });

  it('has separate events for elements that differ past 2^53 or in repeated names', () => {
    const captures = readCaptures(
      request('[9007199254740992, 9007199254740993, {"a": 1}, {"a": 1, "a": 1}]'),
    );
    assert.equal(new Set(captures.map(({ eventKey }) => eventKey)).size, 4);
  });

  it('has the same event key for the same text in an array, on a line or alone', () => {
    const element = '{ "a": "x y",\t"b": 1 }';
    const bodies = [element, `[\n ${element} ]`, `[${element},2]`];
    const captures = bodies.flatMap((body) => readCaptures(request(body))[0] ?? []);
    captures.push(...readAll(`${element}\n`, { 'content-type': 'application/x-ndjson' }));
    assert.equal(captures.length, 4);
    assert.equal(new Set(captures.map(({ eventKey }) => eventKey)).size, 1);
  });

  it('can be nested 100,000 levels deep', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const captures = readCaptures(request(`[${deep},{"a":${deep}},1]`));
    assert.equal(captures[0]?.body.toString(), deep);
    assert.equal(captures.length, 3);
  });

  it('of blank lines alone is one event with its bytes', () => {
    const captures = readAll(' \n\r\n', { 'content-type': 'application/x-ndjson' });
    assert.deepEqual(
      captures.map(({ body }) => body.toString()),
      [' \n\r\n'],
    );
  });

  it('of more than 10,000 elements is one event', () => {
    const body = JSON.stringify(new Array(10_001).fill(1));
    assert.deepEqual(
      readCaptures(request(body)).map((capture) => [capture.body.toString(), capture.unread]),
      [[body, 'not read: more than 10,000 messages']],
    );
  });

  it('does not apply the id headers of the request to several events', () => {
    const redelivered = `7.${'0'.repeat(32)}`;
    const headers = { ...json, 'event-id': 'evt-1', 'dlo-event-id': redelivered };
    const keys = (body: string) =>
      readCaptures(request(body, headers)).map(({ eventKey, redelivery }) => [eventKey, redelivery]);
    assert.deepEqual(keys('[1]'), [['id:evt-1', redelivered]]);
    assert.equal(new Set(keys('[1, 2]').flat()).size, 3);
  });

  it('has the names and values of these headers beside each event, and the answer names them', () => {
    const headers = { ...json, 'webhook-id': 'w-1', 'ce-token': 's3cret', tenant: 'acme' };
    const unsignedHeaders = { 'x-shopify-webhook-id': 's-1' };
    for (const capture of readCaptures({ ...request('[1, 2]', headers), unsignedHeaders })) {
      assert.deepEqual([{ ...capture.headers }, capture.metadata], [{ tenant: 'acme' }, { ignored }]);
      assert.deepEqual(capture.ignored.toSorted(), Object.keys(ignored).sort());
    }
    const [alone] = readCaptures(request('[1]', headers));
    assert.deepEqual([alone?.headers['webhook-id'], alone?.ignored], ['w-1', []]);
  });

  it('is one event if its headers would be stored too often', () => {
    const body = JSON.stringify(new Array(9000).fill(1));
    const read = (length: number) =>
      readCaptures(request(body, { ...json, authorization: 'a'.repeat(9000), tenant: 'a'.repeat(length) }));
    assert.equal(read(1000).length, 9000);
    assert.deepEqual(
      read(2000).map((capture) => [capture.body.toString(), capture.unread]),
      [[body, 'not read: more than 16 MiB of headers']],
    );
  });

  it('is not a document whose media type has the word in a parameter', () => {
    const body = '{\n"a": 1,\n"b": 2\n}';
    const type = 'application/json; profile="https://example.com/ndjson"';
    const captures = readCaptures(request(body, { 'content-type': type }));
    assert.deepEqual(
      captures.map((capture) => [capture.body.toString(), capture.contentType]),
      [[body, type]],
    );
  });

  it('can consist of messages of a known transport, such as reports', () => {
    const report = { eventType: 'order', eventId: 'evt-1', payload: 1, error: 'timeout' };
    const [first, second] = readCaptures(request(JSON.stringify([report, { ...report, eventId: 'evt-2' }])));
    assert.deepEqual([first?.eventKey, second?.eventKey], ['id:evt-1', 'id:evt-2']);
  });

  it('can consist of reports that only its media type declares', () => {
    const type = { 'content-type': 'application/vnd.dead-letter-office.report+json' };
    const captures = readCaptures(request('[{"eventId": "evt-1"}, {"eventId": "evt-2"}]', type));
    assert.deepEqual(
      captures.map(({ eventId }) => eventId),
      ['evt-1', 'evt-2'],
    );
  });
});

describe('a batch of lines', () => {
  const bodiesOf = (body: string, headers?: Inbound['headers']) =>
    readCaptures(request(body, headers)).map((capture) => capture.body.toString());

  it('is split if its media type declares lines, although some are not JSON', () => {
    const lines = ['{"a": 1}', '{"b": oops', '\u00a0', '{"c": 1}'];
    assert.deepEqual(bodiesOf(lines.join('\r\n'), { 'content-type': 'application/x-ndjson' }), lines);
  });

  it('that nobody declares is one event, as are objects between commas', () => {
    for (const body of ['{"a": 1}\n{"b": 1}\n', '{"a": 1},{"b": 1}'])
      assert.deepEqual(bodiesOf(body), [body]);
  });

  it('that is declared has one event for a line with an array', () => {
    assert.deepEqual(bodiesOf('[1, 2]\n', { 'content-type': 'application/x-ndjson' }), ['[1, 2]']);
  });

  it('has one event for a line with a byte that only some encodings call a space', () => {
    const body = Buffer.from([0x31, 0x0a, 0xa0, 0x0a, 0x20, 0x09, 0x0a, 0x0b]);
    const captures = readAll(body, { 'content-type': 'application/jsonl' });
    assert.deepEqual(
      captures.map((capture) => capture.body.toString('hex')),
      ['31', 'a0', '0b'],
    );
  });

  it('has lines of bytes that only begin as UTF-16 does', () => {
    const body = Buffer.from([1, 0, 0, 0x0a, 0, 0]);
    const captures = readAll(body, { 'content-type': 'application/x-ndjson' });
    assert.deepEqual(
      captures.map((capture) => capture.body.toString('hex')),
      ['010000', '0000'],
    );
  });

  it('has each line in exactly one event, in the order of the lines', () => {
    const eol = [0x0a, 0x0d];
    const bytes = fc
      .uint8Array({ minLength: 1, maxLength: 20 })
      .map((array) => Buffer.from(array.filter((byte) => !eol.includes(byte))))
      .filter((line) => /[^ \t]/.test(line.toString('latin1')));
    const object = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));
    const cut = fc.tuple(object, fc.nat(20)).map(([line, length]) => line.slice(0, length + 1));
    const report = fc.jsonValue().map((payload) => JSON.stringify({ payload, error: 'timeout' }));
    const text = fc.oneof(object, cut, report, fc.json()).map((line) => Buffer.from(line));
    const lines = fc.array(fc.oneof(text, bytes), { minLength: 1 });
    fc.assert(
      fc.property(lines, fc.constantFrom('\n', '\r\n'), fc.boolean(), (list, end, isEnded) => {
        const body = Buffer.from(
          list.map((line) => line.toString('latin1')).join(end) + (isEnded ? end : ''),
          'latin1',
        );
        const headers = { 'content-type': 'application/x-ndjson' };
        const captures = readCaptures({ path: '/', query: new URLSearchParams(), headers, body });
        const expected = list.map((line) => payloadOf(line) ?? line);
        assert.deepEqual(
          captures.map((capture) => capture.body.toString('latin1')),
          expected.map((line) => line.toString('latin1')),
        );
      }),
    );
  });
});

/** The payload of a line that is a report. */
function payloadOf(line: Buffer): Buffer | undefined {
  const [, payload] = /^\{"payload":(.*),"error":"timeout"\}$/s.exec(line.toString()) ?? [];
  return payload === undefined ? undefined : Buffer.from(payload);
}

function request(body: string, headers: Inbound['headers'] = json): Inbound {
  return { path: '/', query: new URLSearchParams(), headers, body: Buffer.from(body) };
}
