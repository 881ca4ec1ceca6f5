import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('the ramp of a breaker', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = (ramp: number[] = []) => [
    aRouteTo(target().url, { policy: { backoff: { baseSeconds: 0 }, concurrency: 2, breaker: { ramp } } }),
  ];
  const tick = (settings = {}, ramp: number[] = []) =>
    runTick({ db: database().db, retry: retryConfig(settings), routes: routes(ramp) });
  const breaker = async () => (await database().sql('select * from dlq_breakers'))[0];
  const fail = () => {
    target().answer = (_, response) => response.writeHead(503).end();
  };
  const endCooldown = () =>
    database().sql(
      `update dlq_breakers set probe_after = now(), opened_at = opened_at - interval '1 minute' where state <> 'CLOSED'`,
    );

  beforeEach(() => database().clear());

  /** Opens the breaker and ends its cooldown; the target is back. */
  const recover = async () => {
    fail();
    await tick();
    target().received.length = 0;
    target().answer = (_, response) => response.end();
    await endCooldown();
  };
  /** Works until the present second of the ramp allows no more deliveries. */
  const workInSecond = async (work: () => Promise<unknown>) => {
    for (let before = -1; before < target().received.length; ) {
      before = target().received.length;
      await work();
      // This second lasts until the test ends it, however slow the machine is.
      await database().sql(
        `update dlq_breakers set ramp_step_at = now() + interval '1 hour' where ramp is not null`,
      );
    }
  };
  const endSecond = (ago = '1 second') =>
    database().sql('update dlq_breakers set ramp_step_at = now() - $1::interval where ramp is not null', [
      ago,
    ]);
  /** Delivers in so many seconds of the ramp, with `work`; returns the deliveries in each of them. */
  const countBySecond = async (seconds: number, work: () => Promise<unknown>) => {
    const counts: number[] = [];
    for (let second = 0; second < seconds; second++) {
      const before = target().received.length;
      await workInSecond(work);
      counts.push(target().received.length - before);
      await endSecond();
    }
    return counts;
  };
  const claimOnce = (ramp: number[]) => tick({ tickBudgetSeconds: 0.25 }, ramp);
  const claimAndEnd = (ramp: number[]) => workInSecond(() => claimOnce(ramp));

  it('allows as many deliveries in each second as the ramp says, and then all', async () => {
    await manyEvents(database(), 300);
    await recover();
    const counts = await countBySecond(5, () => claimOnce([1, 2, 5]));
    // The probe belongs to no second.
    assert.deepEqual(counts.slice(0, 3), [2, 2, 5]);
    assert.ok((counts[3] ?? 0) > 5, `${counts}`);
    assert.equal((await breaker())?.ramp, null);
  });

  it('allows no more to several workers together', async () => {
    await manyEvents(database(), 300);
    await recover();
    await claimAndEnd([1, 20, 20]);
    await endSecond();
    const before = target().received.length;
    const claims = Array.from({ length: 20 }, () => claim(database(), { about: { target: target().url } }));
    const claimed = (await Promise.all(claims)).flat().length;
    assert.ok(claimed <= 20, `${claimed} claimed`);
    assert.equal(target().received.length, before);
  });

  it('continues the ramp in the next tick, however late', async () => {
    await manyEvents(database(), 100);
    await recover();
    await claimAndEnd([1, 2, 5]);
    await endSecond('6 hours');
    const before = target().received.length;
    await claimAndEnd([1, 2, 5]);
    assert.equal(target().received.length - before, 2);
  });

  it('limits replays like the schedule', async () => {
    await manyEvents(database(), 100);
    await recover();
    await claimAndEnd([1, 2, 5]);
    const deps = { db: database().db, retry: retryConfig(), routes: routes([1, 2, 5]) };
    const { id } = await aRun(deps);
    await endSecond();
    const counts = await countBySecond(2, () => workOnReplay(deps, id, { endsAt: Date.now() + 150 }));
    assert.deepEqual(counts, [2, 5]);
  });

  it('ends a tick at once whose remaining events cannot be claimed', async () => {
    await manyEvents(database(), 2);
    await recover();
    await claimAndEnd([1, 1, 1]);
    await database().sql(`update dlq_events set retry_after = now() + interval '1 hour' where is_open`);
    assert.equal((await tick({}, [1, 1, 1])).stopped, 'nothing due');
  });

  it('is over if the breaker opens again', async () => {
    await manyEvents(database(), 100);
    await recover();
    await claimAndEnd([50, 50]);
    await endSecond();
    fail();
    await tick({}, [50, 50]);
    assert.deepEqual([(await breaker())?.state, (await breaker())?.ramp], ['OPEN', null]);
  });
});
