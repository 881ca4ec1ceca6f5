import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemLines } from '../../../functions/console/overview/problem-list.ts';
import { listFailing } from '../../../functions/console/overview/problems.ts';

describe('a cause that fails by itself, on the overview and the page of its target', () => {
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
    String(
      problemLines(listFailing({ target: 'http://shop/', causes: [{ ...cause, since }] }, failingHours)),
    );

  it('says since when, when its samples go, and what helps', () => {
    const says = show(hoursAgo(3), 4)
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ');
    assert.match(says, /3 events wait: their cause fails by itself at shop\/: HTTP 500\. It began 3 h ago/);
    assert.match(says, /the next one goes with the next tick\. Mend the consumer, edit one, replay now, or/);
  });

  it('needs review after the hours of the setting', () => {
    assert.match(show(hoursAgo(3), 2), /needs review/);
    assert.doesNotMatch(show(hoursAgo(3), 4), /needs review/);
  });
});
