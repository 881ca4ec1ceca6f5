import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('a replay of closed events on an ordered route', () => {
  const database = useDatabase();
  const target = useHttpTarget();

  it('delivers those before the first open one of their key, and none after it', async () => {
    const key = { source_key: 'a', body: Buffer.from('x') };
    const closed = { ...key, processed_at: new Date() };
    const before = [
      await anEvent(database(), { ...closed, status: 'SUCCEEDED' }),
      await anEvent(database(), { ...closed, status: 'DISCARDED' }),
    ];
    await anEvent(database(), { ...key, status: 'FAILED_PERMANENTLY' });
    const after = await anEvent(database(), { ...closed, status: 'SUCCEEDED' });
    const deps = {
      db: database().db,
      retry: retryConfig(),
      routes: [aRouteTo(target().url, { ordered: true })],
    };
    const { id } = await aRun(deps, {
      filter: { ids: [...before, after] },
      includeSucceeded: true,
      includeDiscarded: true,
    });
    await workOnReplay(deps, id, { endsAt: Date.now() + 60_000 });

    const rows = await database().sql(
      'select event_id::text as id, outcome, reason from dlq_run_events order by event_id',
    );
    assert.deepEqual(rows, [
      ...before.map((each) => ({ id: each, outcome: 'delivered', reason: null })),
      { id: after, outcome: 'skipped', reason: 'held-back' },
    ]);
  });
});
