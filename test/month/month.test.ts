import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { retryConfig } from '../support/routes.ts';
import { playDays } from './play-days.ts';
import { scenes } from './scenes.ts';

describe('days of the schedule', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const play = (name: string, ticks: number) => {
    const scene = scenes.find((each) => each.name === name);
    assert.ok(scene, name);
    const { db, sql } = database();
    return playDays({ db, sql, retry: retryConfig({ tickBudgetSeconds: 50 }) }, scene, ticks);
  };

  it('deliver every healthy event in its first tick, beside sick ones that are sampled', async () => {
    const { waits, never, requestsOfSick, sentTwice } = await play('one in ten answers 500 for ever', 8);
    assert.deepEqual([waits.at(-1), never, sentTwice], [0, 0, 0]);
    assert.ok(requestsOfSick <= 5, `${requestsOfSick} samples`);
  });

  it('deliver 100 healthy events behind 30 sick ones in one tick', async () => {
    const { waits, never } = await play('30 sick before 100 healthy', 1);
    assert.deepEqual([waits.at(-1), never], [0, 0]);
  });

  it('deliver what a bug broke within a tick of its fix', async () => {
    const { waits, never, failedPermanently } = await play('half of all is broken for six ticks', 8);
    assert.ok((waits.at(-1) ?? 0) <= 1, `${waits.at(-1)} ticks`);
    assert.deepEqual([never, failedPermanently], [0, 0]);
  });
});
