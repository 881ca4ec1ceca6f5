import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { changeRun, getRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, claimAndDie, progressOf } from '../../support/runs.ts';

describe('a run with a gate', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({
    db: database().db,
    routes: [aRouteTo(target().url)],
    retry: retryConfig({ batchSize: 10 }),
  });
  const work = (id: string) => workOnReplay(deps(), id, { endsAt: Date.now() + 60_000 });
  const progress = (id: string) => progressOf(database(), id);
  const resume = (runId: string) => changeRun(database().db, 'resume', { runId, actor: 'ada', reason: null });

  /** Makes the target succeed this many times, and then fail six of ten deliveries. */
  const failAfter = (healthy: number) => {
    target().answer = (_, response) => {
      const position = target().received.length;
      response.writeHead(position > healthy && position % 10 < 6 ? 503 : 200).end();
    };
  };

  it('pauses soon after its target starts to fail, and reports why', async () => {
    await manyEvents(database(), 400);
    failAfter(100);
    const { id } = await aRun(deps(), { pace: 'fast' });
    assert.equal(await work(id), 'paused');

    const { delivered, failed, waiting } = await progress(id);
    assert.equal(delivered + failed, target().received.length);
    assert.ok(delivered + failed <= 160, `it had delivered ${delivered} and failed ${failed}`);
    assert.equal(waiting, 400 - delivered - failed);
    const { pausedBecause } = await getRun(database().db, id);
    const [, count] =
      /^The target did not take (\d+) of the last 50 deliveries/.exec(pausedBecause ?? '') ?? [];
    // More than half, plus at most the failures of one settled batch of 10.
    assert.ok(Number(count) > 25 && Number(count) <= 35, `${pausedBecause}`);
  });

  it('has at most 50 further deliveries in flight, however large a claim may be', async () => {
    await manyEvents(database(), 400);
    target().answer = (_, response) => response.writeHead(target().received.length > 60 ? 503 : 200).end();
    const { id } = await aRun(deps(), { pace: 'fast' });
    const large = { ...deps(), retry: retryConfig({ batchSize: 500 }) };
    assert.equal(await workOnReplay(large, id, { endsAt: Date.now() + 60_000 }), 'paused');
    const { failed } = await progress(id);
    // The gate closes after 26, or after the batch of up to 10 settlements that has the 26th. What ends while
    // it closes makes room for others: on a busy machine for a batch of settlements.
    assert.ok(failed >= 26 && failed <= 35 + 50 + 10, `${failed} failed`);
  });

  it('continues when it is resumed, with an empty window', async () => {
    await manyEvents(database(), 150);
    failAfter(50);
    const { id } = await aRun(deps(), { pace: 'fast' });
    assert.equal(await work(id), 'paused');
    target().answer = (_, response) => response.end();
    await resume(id);
    assert.equal(await work(id), 'ended');
    const { delivered, failed } = await progress(id);
    assert.deepEqual([delivered + failed, target().received.length], [150, 150]);
  });

  it('sends one event first with a ramp of one, and no further one if that fails', async () => {
    await manyEvents(database(), 100);
    target().answer = (_, response) => response.writeHead(503).end();
    const { id } = await aRun(deps(), { pace: 'careful' });
    await Promise.all([work(id), work(id), work(id)]);
    assert.deepEqual([target().received.length, (await progress(id)).failed], [1, 1]);
  });

  it('pauses after its canary, however many workers it has, and completes when resumed', async () => {
    await manyEvents(database(), 50);
    const { id } = await aRun(deps(), { pace: 'careful' });
    await Promise.all([work(id), work(id), work(id)]);
    assert.deepEqual([target().received.length, (await progress(id)).delivered], [1, 1]);

    await resume(id);
    assert.equal(await work(id), 'ended');
    assert.equal(target().received.length, 50);
  });

  for (const change of ['pause', 'cancel'] as const) {
    it(`stops within one batch on ${change}`, async () => {
      await manyEvents(database(), 200);
      const { id: runId } = await aRun(deps());
      let sentBefore = 0;
      target().answer = async (_, response) => {
        if (target().received.length === 40) {
          await changeRun(database().db, change, { runId, actor: 'ada', reason: 'it was too much' });
          sentBefore = target().received.length;
        }
        response.end();
      };
      await work(runId);
      assert.ok(sentBefore > 0 && target().received.length <= sentBefore + 10);
      const { delivered, waiting } = await progress(runId);
      assert.deepEqual([delivered, waiting], [target().received.length, 200 - target().received.length]);
    });
  }

  for (const change of ['pause', 'cancel'] as const) {
    it(`returns no event to a claim after its ${change}, even if the worker read the run before`, async () => {
      await manyEvents(database(), 5);
      const run = await aRun(deps());
      await changeRun(database().db, change, { runId: run.id, actor: 'ada', reason: null });
      assert.deepEqual(await claimAndDie(database(), run), []);
    });
  }

  it('records each change by an operator in the audit', async () => {
    await manyEvents(database(), 1);
    const { id: runId } = await aRun(deps());
    for (const change of ['pause', 'resume', 'cancel'] as const) {
      await changeRun(database().db, change, { runId, actor: 'ada', reason: change });
    }
    const audit = await database().sql(
      'select actor, action, reason from dlq_audit where run_id = $1 order by id',
      [runId],
    );
    const entries = audit.map(({ actor, action, reason }) => `${actor}: ${action}, ${reason}`);
    assert.deepEqual(entries, [
      'ada: create run, a test',
      'ada: pause run, pause',
      'ada: resume run, resume',
      'ada: cancel run, cancel',
    ]);
  });
});
