import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { takeTurns } from '../../../shared/delivery/limits.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('a target that is back after an outage', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const tick = (settings = {}) => {
    const policy = { backoff: { baseSeconds: 0 }, concurrency: 2 };
    const routes = [aRouteTo(target().url, { policy })];
    return runTick({ db: database().db, retry: retryConfig(settings), routes });
  };
  const fail = () => {
    target().answer = (_, response) => response.writeHead(503).end();
  };

  beforeEach(() => database().clear());

  /** Opens the breaker and ends its cooldown. */
  const recover = async () => {
    fail();
    await tick();
    target().received.length = 0;
    target().answer = (_, response) => response.end();
    await database().sql(
      `update dlq_breakers set probe_after = now(), opened_at = opened_at - interval '1 minute' where state <> 'CLOSED'`,
    );
  };
  /** Its probe passes. */
  const probe = async () => {
    await manyEvents(database(), 6);
    await recover();
    await tick({ maxEventsPerTick: 1 });
  };
  const change = (set: string) => database().sql(`update dlq_breakers set ${set} where cause = 0`);
  const take = async (wanted: number) => {
    const terms = { wanted: [{ target: target().url, cause: '0', wanted }] };
    const [turn] = await takeTurns(database().db, { ...terms, obeysBreakers: true, obeysHolds: true });
    return turn ? turn.granted : wanted;
  };
  /** What a second gives that comes so many after the first delivery. */
  const takeAfter = async (seconds: number) => {
    await change(`tokens = 1e9, paused_until = now() - interval '${seconds} seconds'`);
    return take(1_000_000);
  };

  it('gets one delivery at first, whenever that is, and more with each second', async () => {
    await probe();
    await change(`updated_at = now() - interval '6 hours'`);
    assert.equal(await take(9), 1);
    const given = [await takeAfter(1), await takeAfter(8), await takeAfter(30), await takeAfter(60)];
    const least = [3, 20, 300, 5000];
    assert.ok(
      given.every((events, i) => events >= Number(least[i])),
      `${given}`,
    );
    assert.equal(await takeAfter(3601), 1_000_000);
  });

  it('gets more with each second from its first delivery on', async () => {
    await probe();
    assert.equal(await take(1), 1);
    await change(`tokens = 1e9, paused_until = paused_until - interval '1 minute'`);
    assert.ok((await take(1_000_000)) >= 5000);
  });

  it('gets no more of several workers together', async () => {
    await probe();
    await change('pace = 1e-6, peak = 1e-6, tokens = 1, paused_until = now()');
    const turns = await Promise.all(Array.from({ length: 20 }, () => take(3)));
    assert.equal(
      turns.reduce((sum, granted) => sum + granted, 0),
      1,
    );
  });

  it('gets what was taken and not used', async () => {
    await probe();
    await change('pace = 5, peak = 1e-6, tokens = 5, paused_until = now()');
    assert.equal(await take(5), 5);
    await take(-3);
    assert.ok((await take(5)) >= 3);
  });

  for (const by of ['90 seconds', '2 hours'])
    it(`gets its events if the clock steps back by ${by} then`, async () => {
      await probe();
      await take(1);
      await change(`updated_at = now() + interval '${by}', paused_until = now() + interval '${by}'`);
      assert.equal(await take(9), 9);
    });

  it('gets all events of a tick, slowly', async () => {
    await manyEvents(database(), 20);
    await recover();
    assert.equal((await tick()).tally.delivered, 20);
  });

  it('ends a tick at once whose remaining events cannot be claimed', async () => {
    await probe();
    await database().sql(`update dlq_events set retry_after = now() + interval '1 hour' where is_open`);
    assert.equal((await tick()).stopped, 'nothing due');
  });

  it('begins again slowly after another outage', async () => {
    await probe();
    await takeAfter(60);
    await recover();
    await manyEvents(database(), 9);
    await tick({ maxEventsPerTick: 1 });
    assert.equal(await take(9), 1);
  });
});
