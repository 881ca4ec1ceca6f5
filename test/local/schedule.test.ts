import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSchedule } from '../../local/schedule.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('the schedule of npm start', () => {
  it('runs a second tick, and no third one, while one takes longer than the interval', async () => {
    let running = 0;
    let max = 0;
    let ticks = 0;
    const stop = startSchedule(0.01, async () => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setTimeout(resolve, 40));
      running -= 1;
      ticks += 1;
    });

    await waitUntil('four ticks', () => ticks >= 4);
    stop();
    assert.equal(max, 2);
  });

  it('never ticks with an interval of 0', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    let ticks = 0;
    startSchedule(0, async () => {
      ticks += 1;
    });
    context.mock.timers.tick(1e6);
    assert.equal(ticks, 0);
  });
});
