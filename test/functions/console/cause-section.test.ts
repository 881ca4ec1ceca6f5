import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { causeSection } from '../../../functions/console/components/target-state.ts';

describe('a cause that fails by itself, on the page of its target', () => {
  const now = new Date();
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
  const cause = {
    cause: '1',
    answer: 'HTTP 500',
    waiting: 3,
    isWaitingExact: true,
    sampledAt: now,
    nextSampleAt: null,
    samples: 1,
  };
  const show = (since: Date, failingHours: number) =>
    String(causeSection([{ ...cause, since }], failingHours));

  it('needs review after the hours of the setting', () => {
    assert.match(show(hoursAgo(3), 2), /needs review/);
    assert.doesNotMatch(show(hoursAgo(3), 4), /needs review/);
  });
});
