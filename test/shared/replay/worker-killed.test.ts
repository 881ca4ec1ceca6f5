import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { publishRequest } from '../../../shared/delivery/worker-requests.ts';
import { getRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useFunction } from '../../support/framework.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { redeliveredId } from '../../support/redelivered-id.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, endLeases, progressOf } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a replay worker that is killed during deliveries', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const worker = useFunction('retry', () => ({
    DATABASE_URL: database().url,
    BATCH_SIZE: '20',
    ROUTES: JSON.stringify([{ target: { kind: 'http', url: target().url } }]),
  }));
  const deps = () => ({
    db: database().db,
    routes: [aRouteTo(target().url)],
    retry: retryConfig({ batchSize: 20 }),
  });
  const progress = (runId: string) => progressOf(database(), runId);

  /** The target never responds from the 101st request on. */
  const hangAfter100Requests = () => {
    target().answer = (_, response) => {
      if (target().received.length <= 100) response.end();
    };
  };
  const sentTwice = () => {
    const ids = target().received.map(({ headers }) => redeliveredId(headers));
    return ids.length - new Set(ids).size;
  };

  it('loses no event: another worker continues, and only events in flight are delivered twice', async () => {
    await manyEvents(database(), 200);
    const { id } = await aRun(deps());
    hangAfter100Requests();
    await publishRequest(worker().url, { runId: id });
    await waitUntil('ten hang, and the others are settled', async () => {
      const { delivered } = await getRun(database().db, id);
      return target().received.length === 110 && delivered === 100;
    });
    worker().child.kill('SIGKILL');
    await once(worker().child, 'exit');
    assert.deepEqual(await progress(id), {
      selected: 200,
      delivered: 100,
      failed: 0,
      skipped: 0,
      waiting: 100,
      inFlight: 20,
    });

    target().answer = (_, response) => response.end();
    const continuing = workOnReplay(deps(), id, { endsAt: Date.now() + 600_000 });
    await waitUntil(
      'only those in flight are left',
      async () => (await getRun(database().db, id)).waiting === 20,
    );
    assert.equal(sentTwice(), 0);
    await endLeases(database());
    assert.equal(await continuing, 'ended');
    assert.equal((await progress(id)).delivered, 200);
    assert.deepEqual([target().received.length, sentTwice()], [210, 10]);
  });
});
