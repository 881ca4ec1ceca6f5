import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../../../functions/capture/store-captures.ts';
import { getRun } from '../../../../functions/replay/runs/change-run.ts';
import { listRunEvents } from '../../../../functions/replay/runs/list-run-events.ts';
import { showRun } from '../../../../functions/replay/runs/show-run.ts';
import { workOnReplay } from '../../../../functions/replay/runs/work-on-replay.ts';
import { aCapture } from '../../../support/captures.ts';
import { useDatabase } from '../../../support/database.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';
import { aRun } from '../../../support/runs.ts';

describe('what a run delivered', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() =>
    database().sql('truncate dlq_events, dlq_attempts, dlq_runs, dlq_run_workers, dlq_run_events'),
  );
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const capture = (eventId: string) => {
    const eventKey = `id:${eventId}`;
    return storeCaptures({ db: database().db, maxReturns: 10 }, [
      aCapture({ eventId, eventKey, carrierId: null }),
    ]);
  };
  const replay = async (more = {}) => {
    const { id } = await aRun(deps(), more);
    await workOnReplay(deps(), id, Date.now() + 60_000);
    return id;
  };
  const verified = async (runId: string) =>
    (await showRun(database().db, await getRun(database().db, runId), new Date())).verified;
  const verdicts = async (runId: string) =>
    (await listRunEvents(database().db, { runId, limit: 10 })).map(({ verdict }) => verdict);

  it('is only delivered while it is watched', async () => {
    await capture('a');
    const id = await replay();
    assert.deepEqual(await verified(id), { cameBack: 0, quiet: 0, delivered: 1, watchSeconds: 86_400 });
  });

  it('came back where its consumer failed once more', async () => {
    await capture('a');
    await capture('b');
    const id = await replay();
    await capture('b');
    assert.deepEqual(await verified(id), { cameBack: 1, quiet: 0, delivered: 1, watchSeconds: 86_400 });
    assert.deepEqual(await verdicts(id), ['delivered', 'came-back']);
  });

  it('came back though it was captured again before its delivery was settled', async () => {
    await capture('a');
    target().answer = (_, response) => {
      capture('a').then(
        () => response.end(),
        () => response.destroy(),
      );
    };
    assert.deepEqual(await verdicts(await replay()), ['came-back']);
  });

  it('is quiet when it was not seen again for as long as the run watches', async () => {
    await capture('a');
    const id = await replay({ watchSeconds: 60 });
    await database().sql(`update dlq_run_events set settled_at = settled_at - interval '61 seconds'`);
    assert.deepEqual(await verified(id), { cameBack: 0, quiet: 1, delivered: 0, watchSeconds: 60 });
    assert.deepEqual(
      (await listRunEvents(database().db, { runId: id, verdict: 'quiet', limit: 10 })).length,
      1,
    );
  });

  it('of a later run may come back without the earlier one having to answer for what it delivered then', async () => {
    await capture('a');
    const first = await replay();
    await capture('a');
    const second = await replay();
    assert.deepEqual([await verdicts(first), await verdicts(second)], [['came-back'], ['delivered']]);
  });
});
