import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('a target that says "too many"', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const tick = (settings = {}) =>
    runTick({
      db: database().db,
      retry: retryConfig({ tickBudgetSeconds: 200, ...settings }),
      routes: [aRouteTo(target().url)],
    });
  const refused = { times: [] as number[] };

  beforeEach(async () => {
    await database().clear();
    refused.times = [];
  });

  /** Takes so many requests in each second. */
  const limitTo = (requests: number) => {
    const window = { since: 0, requests: 0 };
    target().answer = (_, response) => {
      if (Date.now() - window.since >= 1000) Object.assign(window, { since: Date.now(), requests: 0 });
      window.requests += 1;
      if (window.requests <= requests) return response.end();
      refused.times.push(Date.now());
      return response.writeHead(429, { 'retry-after': '1' }).end();
    };
  };

  it('gets all events in one tick, at the pace that it takes', async () => {
    await manyEvents(database(), 100);
    limitTo(20);
    const { tally } = await tick();
    assert.equal(tally.delivered, 100);
  });

  it('is not down: its breaker stays closed', async () => {
    await manyEvents(database(), 60);
    limitTo(10);
    await tick();
    assert.deepEqual(await database().sql('select state from dlq_breakers'), [{ state: 'CLOSED' }]);
  });

  it('gets nothing before the time that it named, those in flight aside', async () => {
    await manyEvents(database(), 100);
    target().answer = (_, response) => response.writeHead(503, { 'retry-after': '3600' }).end();
    const { tally } = await tick();
    assert.ok(tally.claimed - tally.released <= 10, `${tally.claimed - tally.released} were sent`);
    target().received.length = 0;
    await tick();
    assert.equal(target().received.length, 0);
  });

  it('has the events that it refused delivered in the same tick, one retry each', async () => {
    await manyEvents(database(), 40);
    limitTo(20);
    await tick();
    const [{ retries } = {}] = await database().sql(
      'select sum(retry_count)::int as retries from dlq_events',
    );
    assert.equal(retries, refused.times.length);
  });
});
