import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliverLeased } from '../../../shared/delivery/deliver.ts';
import { lease } from '../../../shared/delivery/lease.ts';
import { openWork } from '../../../shared/delivery/work-state.ts';
import { finish } from '../../../shared/delivery/worker.ts';
import { openDueEvents } from '../../../shared/schedule/due-events.ts';
import { pick } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('an event that a picker found twice', () => {
  const database = useDatabase();
  const target = useHttpTarget();

  it('is leased and sent once, with its own bytes', async () => {
    await anEvent(database(), { source_key: 'a' });
    const [{ now } = { now: '' }] = await database().sql<{ now: string }>('select now()::text as now');
    const routes = [aRouteTo(target().url, { ordered: true })];
    const [group] = await pick(database(), { dueAt: now, routes });
    assert.ok(group);
    const deps = { db: database().db, routes, retry: retryConfig() };
    const picker = openDueEvents(deps, { dueAt: now });
    const work = openWork(deps, { runId: '7', picker, endsAt: Number.POSITIVE_INFINITY });
    const dealt = [...group.ids, ...group.ids].map((id) => ({ id, group }));
    deliverLeased(work, await lease(work, dealt, { dueAt: now }));
    await finish(work);
    assert.deepEqual(
      target().received.map(({ body }) => body.toString()),
      ['{"orderId": 1}'],
    );
  });
});
