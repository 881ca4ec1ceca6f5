import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { getRun } from '../../../../functions/replay/runs/change-run.ts';
import { workOnReplay } from '../../../../functions/replay/runs/work-on-replay.ts';
import { useDatabase } from '../../../support/database.ts';
import { manyEvents } from '../../../support/factories.ts';
import { useFunction } from '../../../support/framework.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';
import { aRun, endLeases, progressOf } from '../../../support/runs.ts';
import { waitUntil } from '../../../support/wait-until.ts';

describe('a worker of a run that is killed while it delivers', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const worker = useFunction('replay', () => ({
    DATABASE_URL: database().url,
    LOCAL_CALLER: 'ann',
    BATCH_SIZE: '20',
    ROUTES: JSON.stringify([{ target: { kind: 'http', url: target().url } }]),
  }));
  const deps = () => ({
    db: database().db,
    routes: [aRouteTo(target().url)],
    retry: retryConfig({ batchSize: 20 }),
  });
  const progress = (runId: string) => progressOf(database(), runId);

  /** Whatever is sent from the 101st on is never answered. */
  const hangAfterHundred = () => {
    target().answer = (_, response) => {
      if (target().received.length <= 100) response.end();
    };
  };
  const sentTwice = () => {
    const ids = target().received.map(({ headers }) => headers['dlo-event-id']);
    return ids.length - new Set(ids).size;
  };

  it('loses nothing: another goes on, and delivers twice only what was in flight', async () => {
    await manyEvents(database(), 200);
    const { id } = await aRun(deps());
    hangAfterHundred();
    const broken = assert.rejects(fetch(new URL(`runs/${id}/work`, worker().url), { method: 'POST' }));
    await waitUntil('ten hang', () => target().received.length === 110);
    worker().child.kill('SIGKILL');
    await Promise.all([once(worker().child, 'exit'), broken]);
    assert.deepEqual(await progress(id), {
      selected: 200,
      delivered: 100,
      failed: 0,
      skipped: 0,
      waiting: 100,
      in_flight: 20,
    });

    target().answer = (_, response) => response.end();
    const goingOn = workOnReplay(deps(), id, Date.now() + 30_000);
    await waitUntil(
      'only those in flight are left',
      async () => (await getRun(database().db, id)).waiting === 20,
    );
    assert.equal(sentTwice(), 0);
    await endLeases(database());
    assert.equal(await goingOn, 'ended');
    assert.equal((await progress(id)).delivered, 200);
    assert.deepEqual([target().received.length, sentTwice()], [210, 10]);
  });
});
