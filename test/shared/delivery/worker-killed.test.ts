import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useFunction } from '../../support/framework.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { endLeases } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a worker that is killed during deliveries', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const worker = useFunction('retry', () => ({
    DATABASE_URL: database().url,
    ROUTES: JSON.stringify([{ target: { kind: 'http', url: target().url }, policy: { concurrency: 30 } }]),
  }));
  const tick = () => runTick({ db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] });
  const statuses = () =>
    database().sql('select status, count(*)::int as events from dlq_events group by status');

  it('loses no event: a later tick delivers them after their lease, and those sent have lost a retry', async () => {
    await manyEvents(database(), 20);
    target().answer = () => {};
    const broken = assert.rejects(fetch(worker().url, { method: 'POST' }));
    await waitUntil('the target has 15 events', () => target().received.length === 15);
    worker().child.kill('SIGKILL');
    await Promise.all([once(worker().child, 'exit'), broken]);
    target().answer = (_, response) => response.end();

    await database().sql('update dlq_run_workers set heartbeat_at = default');
    assert.equal((await tick()).tally.claimed, 0);
    assert.deepEqual(await statuses(), [{ status: 'PROCESSING', events: 20 }]);
    await endLeases(database());
    const { tally } = await tick();
    assert.deepEqual([tally.lost, tally.delivered], [15, 20]);
    assert.deepEqual(await statuses(), [{ status: 'SUCCEEDED', events: 20 }]);
    const attempts = 'select outcome, count(*)::int as attempts from dlq_attempts group by 1 order by 1';
    assert.deepEqual(await database().sql(attempts), [
      { outcome: 'delivered', attempts: 20 },
      { outcome: 'lost', attempts: 15 },
    ]);
  });
});
