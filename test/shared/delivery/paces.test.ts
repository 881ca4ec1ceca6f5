import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { takeTurns } from '../../../shared/delivery/limits.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { moveTime } from '../../month/move-time.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents, typedEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

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
    assert.deepEqual(await database().sql('select state from dlq_breakers where cause = 0'), [
      { state: 'CLOSED' },
    ]);
  });

  it('gets nothing for a second, though the time that it named has passed', async () => {
    await manyEvents(database(), 5);
    for (const named of ['0', 'Sat, 01 Jan 2000 00:00:00 GMT']) {
      target().received.length = 0;
      target().answer = (_, response) => response.writeHead(429, { 'retry-after': named }).end();
      await tick({ tickBudgetSeconds: 0.9 });
      assert.ok(target().received.length <= 5, `${target().received.length} were sent`);
      await database().clear('dlq_breakers');
    }
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

  const paceOf = async () => {
    const [row] = await database().sql('select pace, peak from dlq_breakers where cause = 0');
    return { pace: Number(row?.pace), peak: Number(row?.peak) };
  };
  const paceNow = async () => {
    await database().sql('update dlq_breakers set tokens = 1e9 where cause = 0');
    const wanted = [{ target: target().url, cause: '0', wanted: 1_000_000 }];
    const [turn] = await takeTurns(database().db, { wanted, obeysBreakers: true, obeysHolds: true });
    return turn?.granted ?? 0;
  };
  const answerNext = (status: number, headers = {}) => {
    let isNext = true;
    target().answer = (_, response) => {
      response.writeHead(isNext ? status : 200, headers).end();
      isNext = false;
    };
  };

  it('gets a share of what it took of all workers in its best second, however idle this one was', async () => {
    await manyEvents(database(), 40);
    await tick();
    await database().sql(`update dlq_attempts set started_at = started_at - interval '20 seconds'`);
    await manyEvents(database(), 1);
    answerNext(429);
    await tick();
    const { pace, peak } = await paceOf();
    assert.ok(peak >= 10, `it took ${peak} in its best second`);
    assert.equal(pace, 0.75 * peak);
  });

  it('gets three quarters of its pace after another refusal, and soon what it took before', async () => {
    await manyEvents(database(), 40);
    await tick();
    for (const left of [0.75, 0.75 ** 2]) {
      await manyEvents(database(), 1);
      answerNext(429);
      await tick();
      const { pace, peak } = await paceOf();
      assert.ok(pace >= left * peak && pace < peak, `${pace} of ${peak}`);
    }
    await database().sql(
      `update dlq_breakers set paused_until = now() - interval '25 seconds' where cause = 0`,
    );
    const { pace, peak } = await paceOf();
    const now = await paceNow();
    assert.ok(now >= pace + peak / 2, `${now} of ${peak}`);
  });

  it('soon gets all that it takes if little was sent to it before it refused one', async () => {
    await manyEvents(database(), 1);
    await tick();
    await manyEvents(database(), 1);
    answerNext(429);
    await tick();
    assert.equal((await paceOf()).peak, 1);
    for (const [seconds, least] of [
      [10, 2],
      [30, 17],
      [60, 304],
    ]) {
      await database().sql(
        `update dlq_breakers set paused_until = now() - make_interval(secs => $1) where cause = 0`,
        [seconds],
      );
      const pace = await paceNow();
      assert.ok(pace >= (least ?? 0), `${pace} after ${seconds} s`);
    }
  });

  it('gets the others first, if it refused one for itself', async () => {
    await typedEvents(database(), 1, 'refused');
    target().answer = ({ body }, response) =>
      response.writeHead(body.includes('refused') ? 429 : 200, { 'retry-after': '3600' }).end();
    await tick();
    await typedEvents(database(), 20, 'taken');
    await moveTime(database().sql, '6 hours');
    const { tally } = await tick();
    assert.equal(tally.delivered, 20);
  });

  it('gets the others beside the events that it refuses for themselves, which wait for the time that it named', async () => {
    let accepted = Promise.withResolvers<void>();
    target().answer = async ({ body }, response) => {
      const isRefused = /"n": \d?1}/.test(body.toString());
      if (isRefused) await accepted.promise;
      response.writeHead(isRefused ? 429 : 200, { 'retry-after': '3600' }).end();
      if (isRefused) return;
      accepted.resolve();
      accepted = Promise.withResolvers();
    };
    await manyEvents(database(), 100);
    const { tally } = await tick();
    const [{ named } = {}] = await database().sql(
      `select count(*) filter (where retry_after > now() + interval '59 minutes')::int as named
       from dlq_events where is_open`,
    );
    assert.deepEqual([tally.delivered, named], [90, 10]);
  });

  it('gets the others one by one in the same tick, if it refused the first for itself', async () => {
    let requests = 0;
    target().answer = (_, response) => {
      requests += 1;
      response.writeHead(requests === 1 ? 429 : 200, { 'retry-after': '86400' }).end();
    };
    await manyEvents(database(), 4);
    const routes = [aRouteTo(target().url, { policy: { concurrency: 1 } })];
    const { tally } = await runTick({ db: database().db, retry: retryConfig(), routes });
    assert.equal(tally.delivered, 4);
  });

  /** Refuses for a day what comes after so many requests. Of those it holds some, until the refusal is recorded. */
  const refuseAfter = (accepted: number, held = 0) => {
    const isRecorded = async () =>
      (await database().sql(`select from dlq_attempts where outcome = 'transient'`)).length > 0;
    target().answer = async (_, response) => {
      const nth = target().received.length;
      if (nth > accepted) return response.writeHead(429, { 'retry-after': '86400' }).end();
      if (nth > accepted - held) await waitUntil('the refusal is recorded', isRecorded);
      return response.end();
    };
  };

  for (const [what, accepted, held] of [
    ['whatever it took before', 40, 0],
    ['although it still takes what was sent before', 49, 9],
  ] as const) {
    it(`gets no more than is in flight before a long time that it named, ${what}`, async () => {
      await manyEvents(database(), 100);
      refuseAfter(accepted, held);
      const { tally } = await tick();
      assert.equal(tally.delivered, accepted);
      assert.ok(tally.transient <= 20, `${tally.transient} were refused`);
    });
  }

  it('gets one more at most before a long time that it named, if it gets them one by one', async () => {
    target().answer = (_, response) => response.writeHead(429, { 'retry-after': '86400' }).end();
    await manyEvents(database(), 40);
    const routes = [aRouteTo(target().url, { policy: { concurrency: 1 } })];
    await runTick({ db: database().db, retry: retryConfig(), routes });
    assert.equal(target().received.length, 2);
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
