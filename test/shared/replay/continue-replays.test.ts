import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { changeRun, getRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { redeliveredId } from '../../support/redelivered-id.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, claimAndDie, endLeases, progressOf } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a tick with open replays', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const failed = () => database().sql(`update dlq_events set status = 'FAILED_PERMANENTLY'`);

  it('continues replays without a worker', async () => {
    await manyEvents(database(), 10);
    await failed();
    const { id } = await aRun(deps());
    await runTick(deps());
    assert.equal((await progressOf(database(), id)).delivered, 10);
  });

  it('skips replays that are paused or have a worker', async () => {
    await manyEvents(database(), 10);
    await failed();
    const [paused, busy] = [await aRun(deps()), await aRun(deps())];
    await changeRun(database().db, 'pause', { runId: paused.id, actor: 'ada', reason: null });
    await claimAndDie(database(), busy);
    await runTick(deps());
    assert.equal(target().received.length, 0);
  });

  it('continues other replays and due events if one replay throws', async () => {
    await manyEvents(database(), 10);
    await manyEvents(database(), 10, 'invoice.created');
    await failed();
    const runOf = (eventType: string) => aRun(deps(), { filter: { eventType } });
    const [broken, sound] = [await runOf('order.*'), await runOf('invoice.*')];
    await database().sql(`update dlq_runs set patch = '{"no": "patch"}' where id = $1`, [broken.id]);
    await manyEvents(database(), 5);
    const { tally } = await runTick(deps());
    assert.equal(tally.delivered, 5);
    assert.equal((await progressOf(database(), sound.id)).delivered, 10);
  });

  it('delivers due events while the target of a replay has not responded', async () => {
    const replayed = await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const { id } = await aRun(deps());
    await manyEvents(database(), 5, 'invoice.created');
    let respond = () => {};
    target().answer = ({ headers }, response) => {
      if (redeliveredId(headers) === replayed) respond = () => response.end();
      else response.end();
    };
    const ticking = runTick(deps());
    const isDelivered = `select from dlq_events where status = 'SUCCEEDED'`;
    await waitUntil('due events are settled', async () => (await database().sql(isDelivered)).length === 5);
    await waitUntil('the target has the event of the replay', () => target().received.length === 6);
    assert.equal((await progressOf(database(), id)).delivered, 0);
    respond();
    assert.equal((await ticking).tally.delivered, 5);
    assert.equal((await progressOf(database(), id)).delivered, 1);
  });

  it('continues a replay that waits for its target once the tick has found it back', async () => {
    await manyEvents(database(), 20);
    const breaker = { consecutiveFailures: 1, cooldownSeconds: 2 };
    const routes = [aRouteTo(target().url, { policy: { breaker } })];
    const run = await aRun(deps(), { waitForTarget: true });
    target().answer = (_, response) => response.writeHead(503).end();
    const endsAt = Date.now() + 600_000;
    assert.equal(await workOnReplay({ ...deps(), routes }, run.id, { endsAt }), 'target down');
    target().answer = (_, response) => response.end();
    await database().sql('update dlq_events set retry_after = now()');
    await runTick({ ...deps(), routes });
    assert.equal((await getRun(database().db, run.id)).stopped, 'all done');
  });

  it('first recovers the events of dead workers, and does not deliver them for the schedule', async () => {
    await manyEvents(database(), 10);
    await failed();
    const run = await aRun(deps());
    await claimAndDie(database(), run);
    await changeRun(database().db, 'pause', { runId: run.id, actor: 'ada', reason: null });
    await endLeases(database());
    const { tally } = await runTick(deps());
    assert.deepEqual([tally.claimed, target().received.length], [0, 0]);
    const statuses = await database().sql('select distinct status from dlq_events');
    assert.deepEqual(statuses, [{ status: 'FAILED_PERMANENTLY' }]);
  });
});
