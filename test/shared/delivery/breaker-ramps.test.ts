import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { takeTurns } from '../../../shared/delivery/limits.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

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
  const endSecond = (ago = '1 second') =>
    database().sql('update dlq_breakers set ramp_step_at = now() - $1::interval where ramp is not null', [
      ago,
    ]);
  /** A second of a ramp that has begun lasts until it is ended, however slow the machine is. */
  const holdSecond = () => endSecond('-4 seconds');
  const take = async (wanted: number) => {
    const terms = { wanted: [{ target: target().url, cause: '0', wanted }], leaseSeconds: 60 };
    const [turn] = await takeTurns(database().db, { ...terms, obeysBreakers: true, obeysHolds: true });
    return turn?.granted;
  };
  /** The probe of a target that is back begins the ramp. */
  const beginRamp = async (ramp: number[]) => {
    await manyEvents(database(), 6);
    await recover();
    await tick({ maxEventsPerTick: 1 }, ramp);
    await holdSecond();
  };

  it('allows as many deliveries in each second as the ramp says, and then all', async () => {
    await beginRamp([1, 2, 5]);
    assert.deepEqual([await take(9), await take(9)], [1, 0]);
    await endSecond();
    assert.equal(await take(1), 1);
    await holdSecond();
    assert.deepEqual([await take(9), await take(9)], [1, 0]);
    await endSecond('6 hours');
    assert.equal(await take(9), 5);
    await holdSecond();
    assert.equal(await take(9), 0);
    await endSecond();
    assert.equal(await take(9), 9);
    assert.equal((await breaker())?.ramp, null);
  });

  it('allows no more to several workers together', async () => {
    await beginRamp([20, 20]);
    const turns = await Promise.all(Array.from({ length: 20 }, () => take(3)));
    assert.ok(turns.reduce<number>((sum, granted) => sum + (granted ?? 0), 0) <= 20, `${turns}`);
  });

  it('takes back what was not used', async () => {
    await beginRamp([5, 20]);
    assert.equal(await take(5), 5);
    await take(-3);
    assert.equal(await take(5), 3);
  });

  it('goes on if the clock steps back by two hours', async () => {
    await beginRamp([1, 2]);
    assert.equal(await take(9), 1);
    await endSecond('-2 hours');
    assert.equal(await take(9), 2);
  });

  it('delivers all events of a tick in its seconds', async () => {
    await manyEvents(database(), 20);
    await recover();
    assert.equal((await tick({}, [1, 2, 5])).tally.delivered, 20);
  });

  it('ends a tick at once whose remaining events cannot be claimed', async () => {
    await manyEvents(database(), 2);
    await recover();
    await tick({ maxEventsPerTick: 1 }, [1, 1, 1]);
    await database().sql(`update dlq_events set retry_after = now() + interval '1 hour' where is_open`);
    assert.equal((await tick({}, [1, 1, 1])).stopped, 'nothing due');
  });

  it('is over if the breaker opens again', async () => {
    await beginRamp([50, 50]);
    await manyEvents(database(), 50);
    fail();
    await tick({}, [50, 50]);
    assert.deepEqual([(await breaker())?.state, (await breaker())?.ramp], ['OPEN', null]);
  });
});
