import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { getRun } from '../../../shared/replay/run.ts';
import { showRun } from '../../../shared/replay/show-run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('an event that a run delivered', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const capture = (eventId: string) => {
    const eventKey = `id:${eventId}`;
    return storeCaptures({ db: database().db, repeatSeconds: 600 }, [
      aCapture({ eventId, eventKey, deliveryId: null }),
    ]);
  };
  const replay = async () => {
    const { id } = await aRun(deps());
    await workOnReplay(deps(), id, { endsAt: Date.now() + 60_000 });
    return id;
  };
  const verified = async (runId: string) =>
    (await showRun({ db: database().db, routes: [] }, await getRun(database().db, runId), new Date()))
      .verified;

  it('has the verdict delivered for 24 hours', async () => {
    await capture('a');
    const id = await replay();
    assert.deepEqual(await verified(id), { recurred: 0, recovered: 0, delivered: 1 });
  });

  it('has the verdict recurred if its consumer fails again', async () => {
    await capture('a');
    await capture('b');
    const id = await replay();
    await capture('b');
    assert.deepEqual(await verified(id), { recurred: 1, recovered: 0, delivered: 1 });
  });

  it('has the verdict recurred if it was captured again before its settlement', async () => {
    await capture('a');
    target().answer = (_, response) => {
      capture('a').then(
        () => response.end(),
        () => response.destroy(),
      );
    };
    assert.deepEqual(await verified(await replay()), { recurred: 1, recovered: 0, delivered: 0 });
  });

  it('has the verdict recovered after 24 hours without a recurrence', async () => {
    await capture('a');
    const id = await replay();
    await database().sql(`update dlq_run_events set settled_at = settled_at - interval '24 hours'`);
    assert.deepEqual(await verified(id), { recurred: 0, recovered: 1, delivered: 0 });
  });

  it('keeps its verdict in an earlier run if it recurs after a later one', async () => {
    await capture('a');
    const first = await replay();
    await capture('a');
    const second = await replay();
    assert.deepEqual(await verified(first), { recurred: 1, recovered: 0, delivered: 0 });
    assert.deepEqual(await verified(second), { recurred: 0, recovered: 0, delivered: 1 });
  });
});
