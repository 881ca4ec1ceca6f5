import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { TimeSchema } from '../../shared/config/time.ts';
import { DueTimeSchema, FilterTimeSchema, resolveTime } from '../../shared/time-text.ts';

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
});
