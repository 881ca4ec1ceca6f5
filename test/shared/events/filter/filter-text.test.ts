import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Filter } from '../../../../shared/events/filter/filter-schema.ts';
import { parseFilterText } from '../../../../shared/events/filter/parse-filter-text.ts';
import { printFilterText } from '../../../../shared/events/filter/print-filter-text.ts';
import { anyFilter, anyWholeFilter } from '../../../support/any-filter.ts';
import { tries } from '../../../support/sample.ts';

const read = (text: string) => {
  const parsed = parseFilterText(text);
  return parsed.ok ? parsed.value : parsed.problems;
};
/** Each problem after the part of the text that it is in. */
const pointOut = (text: string) => {
  const parsed = parseFilterText(text);
  return parsed.ok ? [] : parsed.problems.map((problem) => `${problem.text} | ${problem.remedy}`);
};

describe('the text of a filter', () => {
  it('is parsed to the filter that it was printed from', () => {
    fc.assert(
      fc.property(fc.oneof(anyFilter, anyWholeFilter), (filter) => {
        assert.deepEqual(parseFilterText(printFilterText(filter)), { ok: true, value: filter });
      }),
      { numRuns: tries(1000) },
    );
  });

  it('is parsed, or rejected, whatever it is', () => {
    const piece = fc.constantFrom(
      ...[
        'type:',
        'failed:',
        'retries:',
        'payload:',
        'nonsense:',
        '"',
        '\\',
        '{',
        '}',
        '[',
        ',',
        '>',
        '=',
        '1',
        'a',
        ' ',
        '\n',
      ],
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          const parsed = parseFilterText(text);
          if (parsed.ok) assert.deepEqual(parseFilterText(printFilterText(parsed.value)), parsed);
          else assert.notDeepEqual(parsed.problems, []);
        },
      ),
      { numRuns: tries(2000) },
    );
  });

  it('expresses in one line the same filter as JSON', () => {
    const text =
      'type:order.*,"a b" status:PENDING error:"timed out" answer:"HTTP 422" key:7 failed:>24h failed:<2025-11-21 retries:>=3 failures:2 payload:{"a":1}';
    const filter: Filter = {
      eventType: ['order.*', 'a b'],
      status: ['PENDING'],
      errorText: ['timed out'],
      answer: ['HTTP 422'],
      key: ['7'],
      failedAfter: '24h',
      failedBefore: '2025-11-21',
      retryCount: { min: 3 },
      failureCount: { min: 2, max: 2 },
      payload: { a: 1 },
    };
    assert.deepEqual(read(text), filter);
    assert.equal(printFilterText(filter), text);
  });

  for (const [text, filter] of [
    ['', {}],
    ['  \n ', {}],
    ['type:a type:b,c', { eventType: ['a', 'b', 'c'] }],
    ['topic:projects/p/topics/t', { sourceTopic: ['projects/p/topics/t'] }],
    ['error:a,b:c', { errorText: ['a,b:c'] }],
    ['error:"a\tb\\n\\u00e9"', { errorText: ['a\tb\né'] }],
    ['retries:>=1 retries:<=5', { retryCount: { min: 1, max: 5 } }],
    ['retries:>3', { retryCount: { min: 4 } }],
    ['retries:>1 retries:<5', { retryCount: { min: 2, max: 4 } }],
    ['priority:-3', { priority: { min: -3, max: -3 } }],
    ['payload:{"a": [1, "}"]}  key:x', { payload: { a: [1, '}'] }, key: ['x'] }],
    ['payload:null', { payload: null }],
    ['payload:"a b"', { payload: 'a b' }],
    ['status:pending', { status: ['PENDING'] }],
    ['status:open,failed', { status: ['PENDING', 'PROCESSING', 'FAILED_PERMANENTLY'] }],
    ['type:a timeout', { eventType: ['a'], text: ['timeout'] }],
    ['"timed out" type:a b', { text: ['timed out', 'b'], eventType: ['a'] }],
    ['https://psp.example/pay?a=1', { text: ['https://psp.example/pay?a=1'] }],
    ['foo: bar', { text: ['foo:', 'bar'] }],
    ['status:pending type:', { status: ['PENDING'], text: ['type:'] }],
    ['error: status: 503', { text: ['error:', 'status:', '503'] }],
    ['ORD-441989 status:pending', { text: ['ORD-441989'], status: ['PENDING'] }],
    ['typ:"a b" key:x', { text: ['typ:"a b"'], key: ['x'] }],
    ['failed:yesterday', { failedAfter: 'yesterday', failedBefore: 'today' }],
    ['failed:today', { failedAfter: 'today' }],
    ['failed:2025-11-30', { failedAfter: '2025-11-30', failedBefore: '2025-12-01' }],
    ['failed:24h', { failedAfter: '24h' }],
    ['failed:>=1h30m', { failedAfter: '1h30m' }],
    ['failed:>2025-11-22T05:00', { failedAfter: '2025-11-22T05:00' }],
  ] as const) {
    it(`is parsed: ${JSON.stringify(text)}`, () => assert.deepEqual(read(text), filter));
  }

  for (const [text, ...problems] of [
    ['type:a "timed out', '"timed out | Close this quote.'],
    [
      'status:PENDING,LOST',
      'LOST | Use one of PENDING, PROCESSING, SUCCEEDED, FAILED_PERMANENTLY, DISCARDED.',
    ],
    [
      'status:constructor',
      'constructor | Use one of PENDING, PROCESSING, SUCCEEDED, FAILED_PERMANENTLY, DISCARDED.',
    ],
    [
      'type:a,, key:x',
      ' | Write a value here, in quotes if there are spaces in it.',
      ' | Write a value here, in quotes if there are spaces in it.',
    ],
    ['error:"timed out', 'error:"timed out | Close this quote.'],
    [
      String.raw`error:"\x"`,
      String.raw`"\x" | Not valid as JSON: Bad escaped character in JSON at position 2 (line 1 column 3).`,
    ],
    ['key:a"b"', 'a"b" | Put it all in quotes.'],
    [
      'failed:soon',
      'soon | Write > or < before a time: >24h is in the last 24 hours, <24h before that. A day needs none: yesterday.',
    ],
    ['failed:>1h failed:<2h', '>1h | Must be earlier than failedBefore: as it is, nothing can match.'],
    ['failed:>1h failed:>2h', '>2h | Duplicate: keep one of them.'],
    ['run:1 run:2', '2 | Duplicate: keep one of them.'],
    ['retries:many', 'many | Write a number, or >, >=, < or <= before one: >=3.'],
    ['retries:>=5 retries:<=3', '>=5 <=3 | Its min is above its max: swap them.'],
    ['retries:5 retries:>=3', '>=3 | Duplicate: keep one of them.'],
    ['priority:>=99999', '>=99999 | Use a whole number from -32768 to 32767.'],
    ['headers:["a"]', '["a"] | Give it as an object: {"name": value}.'],
    [
      'payload:{"a":1}b',
      '{"a":1}b | Not valid as JSON: Unexpected non-whitespace character after JSON at position 7 (line 1 column 8).',
    ],
  ] as const) {
    it(`is rejected with the part and remedy of each problem: ${text}`, () =>
      assert.deepEqual(pointOut(text), problems));
  }

  it('is parsed in linear time, however many quotes it never closes and values it lists', () => {
    const start = process.cpuUsage();
    for (const text of [
      `\\"`.repeat(200_000),
      `"${'\\"'.repeat(200_000)}\\`,
      `type:${'a,'.repeat(200_000)}a`,
      'key:"'.repeat(200_000),
      `payload:${'\\"'.repeat(200_000)}`,
      '"" '.repeat(50_000),
      'id:1,'.repeat(50_000),
    ]) {
      assert.equal(parseFilterText(text).ok, false);
    }
    assert.ok(process.cpuUsage(start).user < 5_000_000);
  });
});
