import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { holdTarget } from '../../../shared/targets/change-hold.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents, typedEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('a tick', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const tick = (settings = {}, route = {}) =>
    runTick({ db: database().db, retry: retryConfig(settings), routes: [aRouteTo(target().url, route)] });
  const runs = () =>
    database().sql('select trigger, stopped, tally, targets, ended_at is not null as ended from dlq_runs');
  beforeEach(() => database().clear());

  it('claims no more events than MAX_EVENTS_PER_TICK, however many an earlier tick left', async () => {
    await tick({ maxEventsPerTick: 100 });
    await manyEvents(database(), 120);
    const { tally, stopped } = await tick({ maxEventsPerTick: 50, batchSize: 20 });
    assert.deepEqual([tally.delivered, stopped], [50, 'event limit reached']);
  });

  it('counts claimed events towards MAX_EVENTS_PER_TICK, not those that a held target does not get', async () => {
    for (let i = 0; i < 5; i++) await anEvent(database(), { source_key: 'a' });
    await manyEvents(database(), 20, 'invoice.created');
    const held = `${target().url}held`;
    const routes = [
      aRouteTo(held, { match: { eventType: 'invoice.*' } }),
      aRouteTo(target().url, { ordered: true }),
    ];
    const deps = { db: database().db, retry: retryConfig({ maxEventsPerTick: 5, batchSize: 4 }), routes };
    await holdTarget(deps, { target: held, actor: 'ada', reason: 'a release' });
    assert.equal((await runTick(deps)).tally.delivered, 5);
  });

  it('delivers what is behind more events of a blocked key than it reads at once', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, source_key, status, retry_after)
       select 'order.created', '{}', case when n <= 3200 then 'a' else 'b' end,
         case when n = 0 then 'FAILED_PERMANENTLY' else 'PENDING' end, now() - interval '1 hour' + n * interval '1 ms'
       from generate_series(0, 3201) n`,
    );
    const { tally, stopped } = await tick({}, { ordered: true });
    assert.deepEqual([tally.delivered, stopped], [1, 'nothing due']);
  });

  it('delivers the events behind a failed one of their key, if their route is not ordered', async () => {
    await anEvent(database(), { source_key: 'a', status: 'FAILED_PERMANENTLY' });
    for (let i = 0; i < 2; i++) await anEvent(database(), { source_key: 'a' });
    assert.equal((await tick()).tally.delivered, 2);
  });

  it('respects the rate of a route over all its batches', async () => {
    await manyEvents(database(), 30);
    const startedAt = Date.now();
    const { tally } = await tick({ batchSize: 10 }, { policy: { ratePerSecond: 20 } });
    assert.equal(tally.delivered, 30);
    // 20 at once from the full bucket, and 10 more at 20 per second.
    assert.ok(Date.now() - startedAt >= 450);
  });

  it('leaves what a rate or a pace allows after its end to the next tick, and ends its run', async () => {
    await manyEvents(database(), 3);
    const slow = await tick({ tickBudgetSeconds: 1 }, { policy: { ratePerSecond: 0.2 } });
    await database().sql(
      `insert into dlq_breakers (target, cause, pace, peak, tokens, paused_until)
       values ($1, 0, 1, 1, 0, now())`,
      [target().url],
    );
    const paced = await tick({ tickBudgetSeconds: 0.5 });
    assert.deepEqual([slow.stopped, paced.stopped], ['time budget spent', 'time budget spent']);
    assert.deepEqual(
      (await runs()).map(({ stopped, ended }) => [stopped, ended]),
      Array(2).fill(['time budget spent', true]),
    );
  });

  it('ends if nothing is due on a route with a rate', async () => {
    assert.equal((await tick({}, { policy: { ratePerSecond: 0.01 } })).stopped, 'nothing due');
  });

  it('takes the events first that an operator prefers while it runs', async (context) => {
    await typedEvents(database(), 200, 'order.created');
    await typedEvents(database(), 20, 'order.paid');
    await database().sql(`update dlq_events set priority = 5 where event_type = 'order.paid'`);
    target().answer = async (_, response) => {
      if (target().received.length === 20) {
        await database().sql('update dlq_events set priority = -5 where priority = 5');
        const { now } = performance;
        context.mock.method(performance, 'now', () => now.call(performance) + 60_000);
      }
      response.end();
    };
    await tick({ batchSize: 10 });
    const last = target().received.findLastIndex(({ body }) => body.includes('order.paid'));
    assert.ok(last < 120, `the last of them was number ${last} of 220`);
  });

  it('is a run with a tally, in total and by target', async () => {
    await manyEvents(database(), 3);
    const { tally } = await tick();
    const [run] = await runs();
    assert.deepEqual(run, {
      trigger: 'schedule',
      stopped: 'nothing due',
      tally,
      targets: { [target().url]: tally },
      ended: true,
    });
  });

  it('leaves the work to a running tick until its heartbeats stop', async () => {
    await anEvent(database());
    await database().sql(
      `with run as (insert into dlq_runs (trigger) values ('schedule') returning id)
       insert into dlq_run_workers select id, 1, gen_random_uuid(), now() from run`,
    );
    assert.equal((await tick()).stopped, 'another tick is running');
    await database().sql('update dlq_run_workers set heartbeat_at = default');
    assert.equal((await tick()).tally.delivered, 1);
  });

  it('finds due events behind thousands of blocked keys on an ordered route', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, source_key, retry_after)
       select 'order.created', to_jsonb(n), 'key ' || lpad(n::text, 5, '0'),
         now() + make_interval(hours => case when n in (1, 1500, 2500) then -1 else 1 end)
       from generate_series(1, 2500) n`,
    );
    const { tally, stopped } = await tick({}, { ordered: true });
    assert.deepEqual([tally.delivered, stopped], [3, 'nothing due']);
  });

  it('delivers all due events of an ordered route with any batch size', async () => {
    for (let i = 0; i < 40; i++) await anEvent(database(), { source_key: `${i % 13}` });
    for (let i = 0; i < 5; i++) await anEvent(database(), { source_key: null });
    const { tally } = await tick({ batchSize: 3 }, { ordered: true });
    assert.equal(tally.delivered, 45);
  });

  it('delivers the events of a key in order of capture on an ordered route', async () => {
    for (let i = 0; i < 20; i++)
      await anEvent(database(), { source_key: `${i % 2}`, body: Buffer.from(`${i}`) });
    await tick({}, { ordered: true });
    const bodies = target().received.map(({ body }) => Number(body.toString()));
    for (const parity of [0, 1]) {
      const ofKey = bodies.filter((n) => n % 2 === parity);
      assert.deepEqual(
        ofKey,
        ofKey.toSorted((a, b) => a - b),
      );
      assert.equal(ofKey.length, 10);
    }
  });
});
