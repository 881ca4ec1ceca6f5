import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readCapture } from '../../support/read-capture.ts';
import { tries } from '../../support/sample.ts';

const encodingOf = (value: string) => readCapture(`{"a":${value}}`).payload.encoding;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Backslashes that escape each other, before what would be an escape without them. */
const anyEscape = fc.constantFrom(
  ...['\\\\', '\\"', '\\n', '\\/', 'u0000', 'ud800', '\\u0000', '\\uD800', '\\udbff', '\\udc00', '\\uDfFf'],
  ...['\\ud7ff', '\\ue000', '\\ud83d\\ude00', '\\\\u', 'u', '0', '😀'],
);

describe('the payload of JSON', () => {
  it('has U+FFFD for each escape that PostgreSQL cannot store, and for no other', () => {
    fc.assert(
      fc.property(fc.array(anyEscape, { minLength: 1, maxLength: 8 }), (escapes) => {
        const body = `"${escapes.join('')}"`;
        const { content = body, encoding } = readCapture(body).payload;
        const text: string = JSON.parse(body);
        assert.deepEqual(
          [encoding, JSON.parse(content)],
          ['json', text.replaceAll('\0', '\uFFFD').toWellFormed()],
        );
      }),
      { numRuns: tries(5000) },
    );
  });

  it('is text if PostgreSQL would write out thousands of digits', () => {
    const many = (count: number, number: string) => `[${Array(count).fill(number)}]`;
    const shown: readonly [what: string, json: string, text: string][] = [
      ['an exponent', '1e1000', '1e1001'],
      ['an exponent in upper case', '[1.5E-1000]', '[1.5E-1001]'],
      ['many exponents', many(2, '1e500'), many(9, '1e999')],
      ['digits', `[${'1'.repeat(14_999)}]`, `[${'1'.repeat(15_000)}]`],
      ['digits below zero', `[-${'1'.repeat(14_999)}]`, `[-${'1'.repeat(15_000)}]`],
      ['levels', nested(999), nested(1000)],
    ];
    for (const [what, json, text] of shown)
      assert.deepEqual([encodingOf(json), encodingOf(text)], ['json', 'text'], what);
  });

  it('is JSON as it is, whatever its texts look like and its escapes stand for', () => {
    for (const json of ['"the1001"', '"\\u0041"', '"\\\\u0000"'])
      assert.deepEqual(readCapture(`{"a":${json}}`).payload, { encoding: 'json' });
    assert.equal(readCapture('1e1001').payload.encoding, 'text');
  });

  it('is base64 if its message is declared as binary', () => {
    const attributes = { googclient_schemaencoding: 'BINARY' };
    const message = { messageId: '1', data: Buffer.from('{"a":1}').toString('base64'), attributes };
    assert.equal(readCapture({ message, subscription: 's' }).payload.encoding, 'base64');
  });
});

describe('a member of a report that is no fact', () => {
  it('is a value of the same JSON, or its text', () => {
    const kept = (json: string) => readCapture(`{"error":"x","payload":1,"metadata":{"a":${json}}}`).metadata;
    for (const json of ['{"b": [1, "ä"]}', '"\\u00e4"', '7', nested(996)])
      assert.deepEqual(kept(json), { a: JSON.parse(json) });
    for (const json of ['1.0', '{"b":1,"b":1}', '9007199254740993', '"\\u0000"', '"\\ud800"', nested(1001)])
      assert.deepEqual(kept(json), { a: json });
  });
});
