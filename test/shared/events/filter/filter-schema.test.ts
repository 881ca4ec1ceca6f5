import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check } from '../../../../shared/config/validate.ts';
import { FilterSchema, SelectiveFilterSchema } from '../../../../shared/events/filter/filter-schema.ts';
import { readFilter } from '../../../../shared/events/filter/read-filter.ts';

const problemsOf = (input: unknown) => {
  const checked = check(FilterSchema, input);
  return checked.ok ? [] : checked.problems.map(({ field, remedy }) => `${field}: ${remedy}`);
};
const read = (input: unknown) => {
  const checked = check(FilterSchema, input);
  return checked.ok ? checked.value : checked.problems;
};

describe('a filter', () => {
  it('accepts one value instead of a list, and keeps each value once', () => {
    const input = { ids: [7, '7', 8], eventType: 'order.*', status: ['pending', 'PENDING'], key: 'k' };

    const filter = { ids: ['7', '8'], eventType: ['order.*'], status: ['PENDING'], key: ['k'] };
    assert.deepEqual(read(input), filter);
  });

  it('matches every event if it is empty', () => {
    assert.deepEqual(read({}), {});
  });

  it('reports all of its problems together', () => {
    const input = {
      eventtype: 'order.*',
      ids: ['1', 'x', 0],
      status: ['OPEN'],
      errorClass: [],
      key: '',
      failedAfter: '1h',
      failedBefore: '2h',
      retryCount: { min: 3, max: 1 },
      payload: 2 ** 53,
    };

    assert.deepEqual(problemsOf(input), [
      'ids[1]: An id is a positive whole number.',
      'ids[2]: An id is a positive whole number.',
      'status[0]: Use one of PENDING, PROCESSING, SUCCEEDED, FAILED_PERMANENTLY, DISCARDED.',
      'errorClass: Must not be empty: leave the field out to match everything.',
      'key: Must not be empty: leave the field out to match everything.',
      'retryCount: Its min is above its max: swap them.',
      'payload: Leave out whole numbers above 2^53: their digits are lost on the way.',
      'eventtype: No such field: correct its name or remove it.',
      'failedAfter: Must be earlier than failedBefore: as it is, nothing can match.',
    ]);
  });

  for (const time of [
    '2025-11-01',
    '2025-11-01T10:00Z',
    '2025-11-01T10:00:00.123456+02:00',
    '30m',
    '7d',
    '2w',
  ]) {
    it(`accepts ${time} as a time`, () =>
      assert.deepEqual(read({ failedAfter: time }), { failedAfter: time }));
  }

  for (const time of [
    ...[
      'soon',
      '2025-02-30',
      '2025-13-01',
      '2025-00-01T10:00Z',
      '2025-11-32',
      '2025-11-01T10',
      '2025-11-01 10:00Z',
      '0000-01-01',
      '24',
      '-1h',
      '1y',
      '1.5h',
      '',
    ],
    ...['2025-11-01T24:00Z', '2025-11-01T10:00+15:00'],
  ]) {
    it(`rejects ${JSON.stringify(time)} as a time`, () => {
      const remedy =
        'Give a time such as "2025-11-01T10:00:00Z", a day such as "2025-11-01" or "yesterday", or an age: "30m", "1h30m", "7d".';
      assert.deepEqual(problemsOf({ failedAfter: time }), [`failedAfter: ${remedy}`]);
    });
  }

  for (const [input, problem] of [
    ['type:x', 'body: Give the filter as an object: {"eventType": "order.*"}.'],
    [null, 'body: Give the filter as an object: {"eventType": "order.*"}.'],
    [{ eventType: 7 }, 'eventType: Give it as text.'],
    [{ eventType: null }, 'eventType: Give it as text.'],
    [{ eventType: ['a', { b: 1 }] }, 'eventType[1]: Give it as text.'],
    [{ key: 'k'.repeat(1001) }, 'key: Must have at most 1000 characters.'],
    [{ ids: Array.from({ length: 10_001 }, (_, i) => i + 1) }, 'ids: Give at most 10000.'],
    [
      { capturedAfter: '2025-11-02', capturedBefore: '2025-11-02' },
      'capturedAfter: Must be earlier than capturedBefore: as it is, nothing can match.',
    ],
    [
      { capturedAfter: 'now', capturedBefore: '1h' },
      'capturedAfter: Give a time such as "2025-11-01T10:00:00Z", a day such as "2025-11-01" or "yesterday", or an age: "30m", "1h30m", "7d".',
    ],
    [{ priority: {} }, 'priority: Give {"min": number}, {"max": number}, or both.'],
    [{ priority: 3 }, 'priority: Give {"min": number}, {"max": number}, or both.'],
    [{ priority: { min: 1.5 } }, 'priority.min: Use a whole number from -32768 to 32767.'],
    [{ priority: { least: 1 } }, 'priority.least: No such field: correct its name or remove it.'],
    [{ headers: ['a'] }, 'headers: Give it as an object: {"name": value}.'],
    [
      { payload: { a: [Number.POSITIVE_INFINITY] } },
      'payload: Leave out whole numbers above 2^53: their digits are lost on the way.',
    ],
    [
      { payload: JSON.parse('['.repeat(52) + ']'.repeat(52)) },
      'payload: Must be JSON with at most 50 levels.',
    ],
    [{ payload: 'x'.repeat(10_000) }, 'payload: Must have at most 10000 characters as JSON.'],
  ] as const) {
    it(`is rejected as ${JSON.stringify(input).slice(0, 60)}`, () => {
      assert.deepEqual(problemsOf(input), [problem]);
    });
  }

  it('is rejected as a list, which has no conditions', () => {
    const checked = readFilter([], { now: new Date(), at: 'filter' });
    const remedy = 'Give the filter as an object: {"eventType": "order.*"}.';
    assert.deepEqual(checked, { ok: false, problems: [{ field: 'filter', value: [], remedy }] });
  });

  it('is rejected as a list, too, where it needs a condition', () => {
    const remedy = 'Name at least one condition: a filter without any matches every event.';
    const checked = check(SelectiveFilterSchema, [], 'filter');
    assert.deepEqual(checked, { ok: false, problems: [{ field: 'filter', value: {}, remedy }] });
  });

  it('is rejected if its relative and absolute times match nothing at the current time', () => {
    const filter = { failedAfter: '1h', failedBefore: '2025-11-21T10:00:00Z' };
    const readAt = (time: string) => readFilter(filter, { now: new Date(time), at: 'filter' });

    assert.deepEqual(readAt('2025-11-21T10:59:00Z'), {
      ok: true,
      value: { failedAfter: '2025-11-21T09:59:00.000Z', failedBefore: '2025-11-21T10:00:00.000Z' },
    });
    const remedy = 'Must be earlier than failedBefore: as it is, nothing can match.';
    const problem = { field: 'filter.failedAfter', value: '2025-11-21T10:00:00.000Z', remedy };
    assert.deepEqual(readAt('2025-11-21T11:00:00Z'), { ok: false, problems: [problem] });
  });

  it('searches for a text as events store it', () => {
    const filter = read({ key: 'a\0b', payload: { 'n\0': ['\ud800', -0] } });

    assert.deepEqual(filter, { key: ['a\ufffdb'], payload: { 'n\ufffd': ['\ufffd', 0] } });
  });
});
