import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findLongestInterval, isSchedule } from '../../infra/cron.ts';

describe('a schedule in cron format', () => {
  it('is accepted as Cloud Scheduler accepts it', () => {
    const valid = [
      '0 */6 * * *',
      '15 3 * * mon-fri',
      '*/5 8-18 * JAN,DEC *',
      '0 0 1 * 7',
      '0-30/10 0 29 2 *',
    ];
    for (const schedule of valid) assert.ok(isSchedule(schedule), schedule);
  });

  it('is rejected if a field is out of range, misspelt, or of another dialect', () => {
    const invalid = [
      '99 99 * * *',
      '0 24 * * *',
      '0 0 0 * *',
      '0 0 * 13 *',
      '0 0 * * 8',
      '0 0 31-1 * *',
      '0 0 * * MOON',
      '0 0 L * *',
      '0 0 * * 5#1',
      '0 0 ? * *',
      '@daily',
      'every 6 hours',
      '0 0 * * * *',
      '0  0 * * *',
      '*/0 * * * *',
      '*/90 * * * *',
      '1,,2 * * * *',
    ];
    for (const schedule of invalid) assert.ok(!isSchedule(schedule), schedule);
  });

  it('is rejected if it never occurs', () => {
    assert.ok(!isSchedule('0 0 30 2 *'));
  });

  it('has a longest interval', () => {
    const hour = 3600;
    const expected = {
      '* * * * *': 60,
      '*/7 * * * *': 420,
      '0 */6 * * *': 6 * hour,
      '0 8,20 * * *': 12 * hour,
      '0 8,12 * * *': 20 * hour,
      '0 3 * * *': 24 * hour,
      '*/5 9-17 * * 1-5': (24 * 3 - 9) * hour + 5 * 60,
      '0 0 1 * *': 31 * 24 * hour,
      '0 0 1 1 *': 366 * 24 * hour,
      '30 1 * 1-6 *': 185 * 24 * hour,
    };
    const found = Object.keys(expected).map((schedule) => [schedule, findLongestInterval(schedule)]);
    assert.deepEqual(Object.fromEntries(found), expected);
  });
});
