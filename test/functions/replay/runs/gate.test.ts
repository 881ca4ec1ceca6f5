import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { changeRun, getRun } from '../../../../functions/replay/runs/change-run.ts';
import { workOnReplay } from '../../../../functions/replay/runs/work-on-replay.ts';
import { useDatabase } from '../../../support/database.ts';
import { manyEvents } from '../../../support/factories.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';
import { aRun, claimAndDie, progressOf } from '../../../support/runs.ts';

describe('a run with a gate', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() =>
    database().sql(
      'truncate dlq_events, dlq_attempts, dlq_runs, dlq_run_workers, dlq_run_events, dlq_breakers',
    ),
  );
  const deps = () => ({
    db: database().db,
    routes: [aRouteTo(target().url)],
    retry: retryConfig({ batchSize: 10 }),
  });
  const work = (id: string) => workOnReplay(deps(), id, Date.now() + 60_000);
  const progress = (id: string) => progressOf(database(), id);
  const resume = (runId: string) => changeRun(database().db, 'resume', { runId, actor: 'ada', reason: null });

  /** A target that answers well so many times, and then fails six of ten. */
  const failAfter = (healthy: number) => {
    target().answer = (_, response) => {
      const place = target().received.length;
      response.writeHead(place > healthy && place % 10 < 6 ? 503 : 200).end();
    };
  };

  it('stops soon after its target begins to fail, and says why', async () => {
    await manyEvents(database(), 1000);
    failAfter(500);
    const { id } = await aRun(deps(), { gate: { window: 50, maxFailureRatio: 0.5 } });
    assert.equal(await work(id), 'paused');

    const { delivered, failed, waiting } = await progress(id);
    assert.equal(delivered + failed, target().received.length);
    assert.ok(delivered + failed <= 560, `it had delivered ${delivered} and failed ${failed}`);
    assert.equal(waiting, 1000 - delivered - failed);
    assert.match(
      (await getRun(database().db, id)).paused_because ?? '',
      /^30 of the last 50 deliveries failed/,
    );
  });

  it('goes on from there when it is resumed, and judges anew', async () => {
    await manyEvents(database(), 300);
    failAfter(100);
    const { id } = await aRun(deps(), { gate: { window: 20, maxFailureRatio: 0.5 } });
    await work(id);
    target().answer = (_, response) => response.end();
    await resume(id);
    assert.equal(await work(id), 'ended');
    const { delivered, failed } = await progress(id);
    assert.deepEqual([delivered + failed, target().received.length], [300, 300]);
  });

  it('sends one event first with a ramp, and none after it if that fails', async () => {
    await manyEvents(database(), 100);
    target().answer = (_, response) => response.writeHead(503).end();
    const { id } = await aRun(deps(), { ramp: [1, 5, 20], gate: {} });
    await Promise.all([work(id), work(id), work(id)]);
    assert.deepEqual([target().received.length, (await progress(id)).failed], [1, 1]);
  });

  it('waits for a person after its canary, however many workers it has, and then goes on to the end', async () => {
    await manyEvents(database(), 100);
    const { id } = await aRun(deps(), { canary: 25 });
    await Promise.all([work(id), work(id), work(id)]);
    assert.deepEqual([target().received.length, (await progress(id)).delivered], [25, 25]);

    await resume(id);
    assert.equal(await work(id), 'ended');
    assert.equal(target().received.length, 100);
  });

  for (const change of ['pause', 'cancel'] as const) {
    it(`stops within one batch on ${change}`, async () => {
      await manyEvents(database(), 200);
      const { id: runId } = await aRun(deps());
      target().answer = (_, response) => {
        const done = () => response.end();
        if (target().received.length !== 40) return done();
        changeRun(database().db, change, { runId, actor: 'ada', reason: 'it was too much' }).then(done, done);
      };
      await work(runId);
      assert.ok(target().received.length <= 50, `${target().received.length} were sent`);
      const { delivered, waiting } = await progress(runId);
      assert.deepEqual([delivered, waiting], [target().received.length, 200 - target().received.length]);
    });
  }

  for (const change of ['pause', 'cancel'] as const) {
    it(`gives nothing to a claim that comes after its ${change}, whatever its worker had seen before`, async () => {
      await manyEvents(database(), 5);
      const run = await aRun(deps());
      await changeRun(database().db, change, { runId: run.id, actor: 'ada', reason: null });
      assert.deepEqual(await claimAndDie(database(), run), []);
    });
  }

  it('writes each change of a person into the audit', async () => {
    await manyEvents(database(), 1);
    const { id: runId } = await aRun(deps());
    for (const change of ['pause', 'resume', 'cancel'] as const) {
      await changeRun(database().db, change, { runId, actor: 'ada', reason: change });
    }
    const audit = await database().sql(
      'select actor, act, reason from dlq_audit where run_id = $1 order by id',
      [runId],
    );
    const told = audit.map(({ actor, act, reason }) => `${actor}: ${act}, ${reason}`);
    assert.deepEqual(told, [
      'ada: create run, a test',
      'ada: pause run, pause',
      'ada: resume run, resume',
      'ada: cancel run, cancel',
    ]);
  });
});
