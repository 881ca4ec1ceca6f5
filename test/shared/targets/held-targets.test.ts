import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { takeTurns } from '../../../shared/delivery/limits.ts';
import { createRun } from '../../../shared/replay/create-run.ts';
import { previewRun } from '../../../shared/replay/preview-run.ts';
import { changeRun } from '../../../shared/replay/run.ts';
import { readRunRequest } from '../../../shared/replay/run-request.ts';
import { showRun } from '../../../shared/replay/show-run.ts';
import { continueReplays, workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { holdTarget, releaseTarget } from '../../../shared/targets/change-hold.ts';
import { probeTarget } from '../../../shared/targets/probe-target.ts';
import { showTarget } from '../../../shared/targets/show-targets.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { actAs } from '../../support/roles.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { withoutSlowStarts } from '../../support/slow-starts.ts';

describe('a target', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const deps = () => ({
    db: withoutSlowStarts(database()),
    retry: retryConfig(),
    costLimit: 0,
    routes: [
      aRouteTo(target().url, {
        match: { eventType: 'order.*' },
        policy: { backoff: { baseSeconds: 0 } },
      }),
      aRouteTo(`${target().url}other`),
    ],
  });
  const change = (reason = 'maintenance') => ({ target: target().url, actor: 'ann', reason });
  const request = (more = {}) => {
    const body = { filter: { eventType: ['*'] }, reason: 'a test', ...more };
    return readRunRequest({ raw: JSON.stringify(body), now: new Date() });
  };
  const replay = async (more = {}) => (await createRun(deps(), request(more), 'ann')).run;
  const work = () => continueReplays(deps(), Date.now() + 20_000);
  const sent = () => target().received.length;
  const show = async () => showTarget(deps(), await readSnapshot(deps()), target().url);

  beforeEach(() => database().clear());

  it('that is held gets no scheduled delivery until it is released, and others do', async () => {
    await anEvent(database());
    await anEvent(database(), { event_type: 'invoice.sent' });
    await holdTarget(deps(), change());
    await runTick(deps());
    assert.deepEqual([sent(), (await show()).state], [1, 'held']);

    await releaseTarget(deps(), change('repaired'));
    await runTick(deps());
    assert.deepEqual([sent(), (await show()).state], [2, 'up']);
  });

  it('that is held gets a replay only if its request says so', async () => {
    await anEvent(database());
    await holdTarget(deps(), change());

    const { id } = await replay();
    await work();
    assert.equal(sent(), 0);
    await changeRun(database().db, 'cancel', { runId: id, actor: 'ann', reason: null });
    await replay({ toHeldTargets: true });
    await work();
    assert.equal(sent(), 1);
  });

  it('that is held keeps a replay waiting until it is released, and events of other targets are delivered', async () => {
    await manyEvents(database(), 150);
    await anEvent(database(), { event_type: 'invoice.sent' });
    await holdTarget(deps(), change());
    await replay({ waitForTarget: true });
    await work();
    assert.equal(sent(), 1);

    await releaseTarget(deps(), change());
    await work();
    assert.equal(sent(), 151);
  });

  it('that is held while a replay runs gets no more of it, and its worker says so', async () => {
    await anEvent(database());
    const { id } = await replay();
    await holdTarget(deps(), change());
    const stopped = await workOnReplay(deps(), id, { endsAt: Date.now() + 20_000 });

    assert.deepEqual([sent(), stopped], [0, 'target held']);
  });

  it('is held once, and released only if it is held', async () => {
    await assert.rejects(releaseTarget(deps(), change()), { code: 'CONFLICT' });
    await holdTarget(deps(), change());
    await assert.rejects(holdTarget(deps(), change()), { code: 'CONFLICT' });
    await assert.rejects(holdTarget(deps(), { ...change(), target: 'http://unknown/' }), {
      code: 'NOT_FOUND',
    });
  });

  it('is held and released with the rights of the console, with the reasons in its history', async () => {
    await actAs('dlq_console', database(), {
      work: async (db) => {
        await holdTarget({ ...deps(), db }, change());
        await releaseTarget({ ...deps(), db }, change('repaired'));
        const { changes } = await showTarget(
          { ...deps(), db },
          await readSnapshot({ ...deps(), db }),
          target().url,
        );

        assert.deepEqual(changes.map((each) => [each.change, each.actor, each.reason]).sort(), [
          ['held', 'ann', 'maintenance'],
          ['released', 'ann', 'repaired'],
        ]);
      },
    });
  });

  it('that is released gets its deliveries slowly, beginning with the first', async () => {
    const slowly = { ...deps(), db: database().db };
    await holdTarget(slowly, change());
    await releaseTarget(slowly, change('repaired'));
    await database().sql(`update dlq_breakers set updated_at = now() - interval '6 hours'`);
    const wanted = [{ target: target().url, cause: '0', wanted: 9 }];
    const turns = await takeTurns(database().db, { wanted, obeysBreakers: true, obeysHolds: true });
    assert.equal(turns[0]?.granted, 1);
  });

  it('that is released while it is down stays down', async () => {
    await manyEvents(database(), 30);
    target().answer = (_, response) => response.writeHead(503).end();
    await runTick(deps());
    const slowly = { ...deps(), routes: [aRouteTo(target().url)] };
    await holdTarget(slowly, change());
    await releaseTarget(slowly, change());
    assert.equal((await show()).state, 'down');
  });

  it('that asked for a pause is probed at once, and a replay that waits for its end says so', async () => {
    await anEvent(database());
    await database().sql(
      `insert into dlq_breakers (target, paused_until, pace, peak) values ($1, now() + interval '1 hour', 1, 1)`,
      [target().url],
    );
    const run = await replay();
    const { stall } = await showRun(deps(), run, new Date(Date.now() + 60_000));
    assert.match(stall?.because ?? '', /is paused, until \d{4}-/);
    await changeRun(database().db, 'cancel', { runId: run.id, actor: 'ann', reason: null });
    await probeTarget(deps(), change());
    await work();
    assert.equal(sent(), 1);
  });

  it('that is down is closed again by a probe, which sends one event at once', async () => {
    await manyEvents(database(), 30);
    target().answer = (_, response) => response.writeHead(503).end();
    await runTick(deps());
    assert.equal((await show()).state, 'down');
    // A worker estimates the clock of the database: a probe within that error of the opening proves nothing.
    await database().sql(`update dlq_breakers set opened_at = opened_at - interval '1 minute'`);
    const before = sent();
    target().answer = (_, response) => response.writeHead(204).end();
    const run = await probeTarget(deps(), change('it is back'));
    await work();

    assert.deepEqual([run.selected, sent() - before], [1, 1]);
    const { state, changes, answers } = await show();
    assert.equal(state, 'up');
    assert.deepEqual(
      changes.map((each) => each.change),
      ['up', 'down'],
    );
    assert.deepEqual([answers[0]?.outcome, answers[0]?.responseStatus], ['delivered', 204]);
  });

  it('is probed with an event that the schedule would send, however many wait behind a blocked key', async () => {
    const routes = [{ ...aRouteTo(target().url), ordered: true }];
    await anEvent(database(), { status: 'FAILED_PERMANENTLY', source_key: 'blocked' });
    for (let i = 0; i < 25; i++) await anEvent(database(), { source_key: 'blocked' });
    const free = await anEvent(database(), { source_key: 'free', retry_after: new Date() });
    const run = await probeTarget({ ...deps(), routes }, change());
    assert.deepEqual(await database().sql('select run_id, event_id from dlq_run_events'), [
      { run_id: run.id, event_id: free },
    ]);
  });

  it('is probed with an event that was not tried there, as others may fail of themselves', async () => {
    await anEvent(database(), { retry_after: new Date(0) });
    target().answer = (_, response) => response.writeHead(500).end();
    await runTick(deps());
    await database().sql(`update dlq_events set retry_after = now() - interval '1 hour'`);
    const untried = await anEvent(database(), { retry_after: new Date() });
    await probeTarget(deps(), change());
    assert.deepEqual(await database().sql('select event_id from dlq_run_events'), [{ event_id: untried }]);
  });

  it('is not probed with an event that its route has given up', async () => {
    const routes = [aRouteTo(target().url, { policy: { maxAge: '1h' } })];
    await anEvent(database(), { created_at: '2026-01-01' });
    await assert.rejects(probeTarget({ ...deps(), routes }, change()), { code: 'CONFLICT' });
  });

  it('without a pending event cannot be probed', async () => {
    await assert.rejects(probeTarget(deps(), change()), { code: 'CONFLICT' });
  });

  it('has its waiting and due events, exact beyond any limit, and is unused before the first delivery', async () => {
    await manyEvents(database(), 1200);
    await database().sql(`update dlq_events set retry_after = now() + interval '1 hour' where id % 2 = 0`);
    const { state, waiting, isExact, due, latest } = await show();

    assert.deepEqual([state, waiting, isExact, due, latest], ['unused', 1200, true, 600, null]);
  });

  it('is named with its state in the preview of a replay, with the expected duration', async () => {
    await manyEvents(database(), 100);
    await holdTarget(deps(), change());
    const { targets, estimatedSeconds } = await previewRun(
      deps(),
      request({ dryRun: true, ratePerSecond: 5 }),
    );

    assert.deepEqual([targets[0]?.state.state, targets[0]?.state.heldReason], ['held', 'maintenance']);
    assert.equal(estimatedSeconds, 20);
  });
});
