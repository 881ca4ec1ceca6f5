import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSchedule } from '../../local/schedule.ts';
import { waitFor } from './office-process.ts';

describe('the local schedule', () => {
  it('never runs two ticks at once, however long one takes', async () => {
    let running = 0;
    let most = 0;
    let ticks = 0;
    const end = startSchedule(0.01, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 40));
      running -= 1;
      ticks += 1;
    });

    await waitFor('some ticks', () => ticks >= 4);
    end();
    assert.equal(most, 1);
  });

  it('never ticks when it is told so', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let ticks = 0;
    startSchedule(0, async () => {
      ticks += 1;
    });
    context.mock.timers.tick(1e6);
    assert.equal(ticks, 0);
  });
});
