import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { endSecond, withFrozenRamps, workInSecond } from '../../support/ramp-seconds.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('the ramp of a breaker', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = (ramp: number[] = []) => [
    aRouteTo(target().url, { policy: { backoff: { baseSeconds: 0 }, concurrency: 2, breaker: { ramp } } }),
  ];
  const tick = (settings = {}, ramp: number[] = []) =>
    runTick({ db: withFrozenRamps(database()), retry: retryConfig(settings), routes: routes(ramp) });
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
  const sent = () => target().received.length;
  /** Delivers in so many seconds of the ramp, with `work`; returns the deliveries in each of them. */
  const countBySecond = async (seconds: number, work: (seconds: number) => Promise<unknown>) => {
    const counts: number[] = [];
    for (let second = 0; second < seconds; second++) {
      const before = sent();
      await workInSecond(work, sent);
      counts.push(sent() - before);
      await endSecond(database());
    }
    return counts;
  };
  const tickFor = (ramp: number[]) => (tickBudgetSeconds: number) => tick({ tickBudgetSeconds }, ramp);
  const claimAndEnd = (ramp: number[]) => workInSecond(tickFor(ramp), sent);

  it('allows as many deliveries in each second as the ramp says, and then all', async () => {
    await manyEvents(database(), 300);
    await recover();
    const counts = await countBySecond(4, tickFor([1, 2, 5]));
    // The probe belongs to no second.
    assert.deepEqual(counts.slice(0, 3), [2, 2, 5]);
    assert.ok((counts[3] ?? 0) > 5, `${counts}`);
    assert.equal((await breaker())?.ramp, null);
  });

  it('allows no more to several workers together', async () => {
    await manyEvents(database(), 300);
    await recover();
    await claimAndEnd([1, 20, 20]);
    await endSecond(database());
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
    await endSecond(database(), '6 hours');
    const before = target().received.length;
    await claimAndEnd([1, 2, 5]);
    assert.equal(target().received.length - before, 2);
  });

  it('limits replays like the schedule', async () => {
    await manyEvents(database(), 100);
    await recover();
    await claimAndEnd([1, 2, 5]);
    const deps = { db: withFrozenRamps(database()), retry: retryConfig(), routes: routes([1, 2, 5]) };
    const { id } = await aRun(deps);
    await endSecond(database());
    const counts = await countBySecond(2, (given) =>
      workOnReplay(deps, id, { endsAt: Date.now() + given * 1000 }),
    );
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
    await endSecond(database());
    fail();
    await tick({}, [50, 50]);
    assert.deepEqual([(await breaker())?.state, (await breaker())?.ramp], ['OPEN', null]);
  });
});
