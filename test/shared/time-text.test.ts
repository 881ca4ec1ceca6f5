import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveTime } from '../../shared/time-text.ts';

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
