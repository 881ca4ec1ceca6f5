import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { continueReplays, workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';
import { withoutSlowStarts } from '../../support/slow-starts.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('the breaker of a target', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const policy = { backoff: { baseSeconds: 0 }, concurrency: 2 };
  const deps = (settings = {}) => ({
    db: withoutSlowStarts(database()),
    retry: retryConfig(settings),
    routes: [aRouteTo(target().url, { policy })],
  });
  const tick = (settings = {}) => runTick(deps(settings));
  const breaker = async () => (await database().sql('select * from dlq_breakers where cause = 0'))[0];
  const fail = () => {
    target().answer = (_, response) => response.writeHead(503).end();
  };
  const endCooldown = () =>
    database().sql(
      `update dlq_breakers set probe_after = now(), opened_at = opened_at - interval '1 minute' where state <> 'CLOSED'`,
    );

  beforeEach(() => database().clear());

  it('opens within ten deliveries, however many events are due', async () => {
    await manyEvents(database(), 1000);
    fail();
    await tick();
    assert.ok(target().received.length <= 10, `${target().received.length} calls`);
    const { state, cooldown_seconds } = (await breaker()) ?? {};
    assert.deepEqual([state, cooldown_seconds], ['OPEN', 30]);
  });

  it('stops the worker that saw the failures', async () => {
    await manyEvents(database(), 100);
    fail();
    const { tally } = await tick({ batchSize: 10 });
    assert.equal(tally.transient, 5);
    assert.ok(tally.claimed <= 16, `${tally.claimed} claimed`);
  });

  it('costs the events that it blocks no retry', async () => {
    await manyEvents(database(), 100);
    fail();
    const { tally } = await tick();
    const [kept] = await database().sql(
      `select count(*)::int as events from dlq_events where status = 'PENDING' and retry_count = 0`,
    );
    assert.equal(kept?.events, 100 - tally.transient);
  });

  it('allows no delivery while it is open', async () => {
    await manyEvents(database(), 100);
    fail();
    await tick();
    target().received.length = 0;
    assert.deepEqual([(await tick()).tally.claimed, target().received.length], [0, 0]);
  });

  it('allows one probe after its cooldown, and doubles the cooldown if the probe fails', async () => {
    await manyEvents(database(), 100);
    fail();
    await tick();
    target().received.length = 0;
    await endCooldown();
    await tick();
    const { state, cooldown_seconds } = (await breaker()) ?? {};
    assert.deepEqual([target().received.length, state, cooldown_seconds], [1, 'OPEN', 60]);
  });

  it('counts the last delivery of a worker, too', async () => {
    await manyEvents(database(), 2);
    const isSettled = async () => (await database().sql('select from dlq_attempts')).length === 1;
    target().answer = async (_, response) => {
      if (target().received.length === 1) return void response.writeHead(503).end();
      await waitUntil('the failure is recorded', isSettled);
      response.end();
    };
    await tick();
    assert.deepEqual([(await breaker())?.failures, (await breaker())?.deliveries], [1, 2]);
  });

  it('keeps its probe until an event is due', async () => {
    await manyEvents(database(), 5);
    fail();
    await tick();
    target().answer = (_, response) => response.end();
    await endCooldown();
    await database().sql(`update dlq_events set retry_after = now() + interval '1 hour'`);
    assert.equal((await tick()).tally.claimed, 0);
    await database().sql('update dlq_events set retry_after = now()');
    assert.equal((await tick()).tally.delivered, 5);
  });

  it('closes after a successful probe, and all events are delivered', async () => {
    await manyEvents(database(), 100);
    fail();
    await tick();
    target().answer = (_, response) => response.end();
    await endCooldown();
    await tick();
    assert.equal((await breaker())?.state, 'CLOSED');
    // On a busy machine one tick ends before all are delivered.
    while ((await tick()).tally.claimed > 0);
    const [open] = await database().sql('select count(*)::int as events from dlq_events where is_open');
    assert.equal(open?.events, 0);
  });

  describe('that is open', () => {
    const open = async () => {
      await manyEvents(database(), 30);
      fail();
      await tick();
      target().received.length = 0;
    };
    const replay = async (request = {}) => {
      const { id } = await aRun(deps(), request);
      return { id, work: () => workOnReplay(deps(), id, { endsAt: Date.now() + 600_000 }) };
    };

    it('closes with a delivery of a replay, which does not wait for it', async () => {
      await open();
      target().answer = (_, response) => response.end();
      const { work } = await replay();
      assert.equal(await work(), 'ended');
      assert.deepEqual([target().received.length, (await breaker())?.state], [30, 'CLOSED']);
    });

    it('stays open after an answer to an event claimed just before, however late that is recorded', async () => {
      const { db } = database();
      await manyEvents(database(), 1);
      const isLater = `select from dlq_breakers where now() > opened_at + interval '200 ms'`;
      const late: typeof db.query = async (query) => {
        const isJudgement = query.name === 'judge-breaker';
        if (isJudgement)
          await waitUntil('time has passed', async () => (await database().sql(isLater)).length > 0);
        return db.query(query);
      };
      target().answer = async (_, response) => {
        await database().sql(
          `insert into dlq_breakers (target, state, opened_at, probe_after, failures)
           select $1, 'OPEN', updated_at + interval '1 ms', now() + interval '1 minute', 1 from dlq_events`,
          [target().url],
        );
        response.end();
      };
      assert.equal((await runTick({ ...deps(), db: { ...db, query: late } })).tally.delivered, 1);
      assert.equal((await breaker())?.state, 'OPEN');
    });

    it('stays open if deliveries of a replay fail', async () => {
      await open();
      await (await replay()).work();
      assert.deepEqual([target().received.length, (await breaker())?.state], [30, 'OPEN']);
    });

    it('stops a replay that waits for its target, until a probe is answered', async () => {
      await open();
      const { id, work } = await replay({ waitForTarget: true });
      assert.equal(await work(), 'target down');
      assert.equal(target().received.length, 0);

      await endCooldown();
      assert.equal(await work(), 'target down');
      assert.equal(target().received.length, 1);

      target().answer = (_, response) => response.end();
      await endCooldown();
      await continueReplays(deps(), Date.now() + 600_000);
      const [run] = await database().sql('select delivered, waiting from dlq_runs where id = $1', [id]);
      assert.deepEqual(run, { delivered: 29, waiting: 0 });
    });
  });

  it('opens at the failure ratio, without several failures in a row', async () => {
    // An answer to what was leased at the same moment may close it once more.
    await manyEvents(database(), 300);
    let calls = 0;
    target().answer = (_, response) => response.writeHead(++calls % 3 === 0 ? 200 : 503).end();
    await tick({ batchSize: 60 });
    assert.equal((await breaker())?.state, 'OPEN');
  });

  it('counts a permanent outcome as a healthy target', async () => {
    await manyEvents(database(), 12);
    target().answer = (_, response) => response.writeHead(422).end();
    await tick();
    assert.equal(await breaker(), undefined);
  });

  it('blocks no event of another target', async () => {
    await manyEvents(database(), 100);
    await manyEvents(database(), 3, 'invoice.created');
    const dead = aRouteTo('http://127.0.0.1:1/', { match: { eventType: 'order.*' } });
    const routes = [dead, aRouteTo(target().url)];
    const { tally } = await runTick({ db: database().db, retry: retryConfig(), routes });
    assert.equal(tally.delivered, 3);
  });
});
