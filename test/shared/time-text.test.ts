import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { TimeSchema } from '../../shared/config/time.ts';
import {
  DueTimeSchema,
  FilterTimeSchema,
  findDay,
  isRelative,
  resolveDueTime,
  resolveTime,
  UntilSchema,
} from '../../shared/time-text.ts';

describe('a time in a filter', () => {
  const now = new Date('2025-11-21T12:00:00.000Z');
  for (const [time, resolved] of [
    ['90s', '2025-11-21T11:58:30.000Z'],
    ['30m', '2025-11-21T11:30:00.000Z'],
    ['24h', '2025-11-20T12:00:00.000Z'],
    ['7d', '2025-11-14T12:00:00.000Z'],
    ['2w', '2025-11-07T12:00:00.000Z'],
    ['1h30m', '2025-11-21T10:30:00.000Z'],
    ['today', '2025-11-21T00:00:00.000Z'],
    ['yesterday', '2025-11-20T00:00:00.000Z'],
    ['2025-11-21T05:00', '2025-11-21T05:00:00.000Z'],
    ['2025-11-01', '2025-11-01T00:00:00.000Z'],
    ['2025-11-01T10:00:00.123456+02:00', '2025-11-01T08:00:00.123456Z'],
  ] as const) {
    it(`resolves ${time} to ${resolved}`, () => assert.equal(resolveTime(time, now), resolved));
  }
});

describe('a time that an operator writes', () => {
  const isTime = (schema: v.GenericSchema, text: string) => v.is(schema, text);

  it('is a day of the calendar', () => {
    assert.ok(isTime(TimeSchema, '2028-02-29T02:00:00Z'));
    for (const text of ['2026-02-30T02:00:00Z', '2026-11-31T02:00:00+01:00', '2027-02-29T02:00Z'])
      assert.equal(isTime(TimeSchema, text), false, text);
  });

  it('is one that PostgreSQL stores', () => {
    for (const schema of [DueTimeSchema, FilterTimeSchema]) {
      assert.ok(isTime(schema, '46900w'));
      for (const text of ['999999w', '999999d', '40000w40000w'])
        assert.equal(isTime(schema, text), false, text);
    }
  });

  it('has two digits for each part but the year, and hours and minutes of a zone', () => {
    const times = '2025-11-01 2025-11-01T00:00 2025-11-01T19:59:59 2025-11-01T23:00:00.123456Z yesterday';
    for (const text of `${times} 2025-11-01T10:00+14:59 2025-11-01T10:00-09:00 today 1w2d3h4m5s`.split(' '))
      assert.ok(isTime(FilterTimeSchema, text), text);
    const others = '2025-11-01T24:00 2025-11-01T10 2025-11-01T10:60 2025-11-01T10:00+15:00 2025-11-31';
    const more =
      '3025-11-01 x2025-11-01 2025-11-01x 2025-11-01T10:00:00.1234567 1x x1d 1dx h 1234567s 1d1d1d1d1d1d now';
    for (const text of `${others} ${more} 2025-11-01T10:00+02`.split(' '))
      assert.equal(isTime(FilterTimeSchema, text), false, text);
  });
});

describe('a time at which something is due', () => {
  const now = new Date('2025-11-21T12:00:00.000Z');

  it('is now, a length of time from now on, or a time', () => {
    const due = ['now', '1h30m', '2025-11-01', '2025-11-01T10:00', 'today'].map((time) => {
      assert.ok(v.is(DueTimeSchema, time));
      return resolveDueTime(time, now).slice(0, 16);
    });
    const at = ['2025-11-21T12:00', '2025-11-21T13:30', '2025-11-01T00:00', '2025-11-01T10:00'];
    assert.deepEqual(due, [...at, '2025-11-21T00:00']);
  });

  it('of the end of a hold may be left out', () => {
    const ends = [undefined, '', ' ', ' 2025-11-01 '].map((text) => v.parse(UntilSchema, text));
    assert.deepEqual(ends, [null, null, null, '2025-11-01T00:00:00.000Z']);
    const within = Date.parse(v.parse(UntilSchema, '2h') ?? '') - Date.now();
    assert.ok(within > 3_600_000 && within <= 7_200_000);
    assert.equal(v.is(UntilSchema, 'soon'), false);
  });
});

describe('a word for a day or an age', () => {
  it('is a period, others are none', () => {
    const periods = ['yesterday', 'today', '24h', '2025-12-31', 'now', '2025-02-30', '2025-11-01T10:00'];
    assert.deepEqual(periods.map(findDay), [
      ['yesterday', 'today'],
      ['today'],
      ['24h'],
      ['2025-12-31', '2026-01-01'],
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('depends on the current time, a date does not', () => {
    assert.deepEqual(['24h', 'today', 'now', '2025-11-01'].map(isRelative), [true, true, true, false]);
  });
});
