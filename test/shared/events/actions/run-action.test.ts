import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Database } from '../../../../shared/database/database.ts';
import { openDatabase } from '../../../../shared/database/database.ts';
import { type Action, runAction } from '../../../../shared/events/actions/run-action.ts';
import type { Filter } from '../../../../shared/events/filter/filter-schema.ts';
import { runTick } from '../../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../../support/database.ts';
import { openDatabaseLink } from '../../../support/database-link.ts';
import { anEvent, manyEvents } from '../../../support/factories.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';
import { waitUntil } from '../../../support/wait-until.ts';

describe('an action on many events', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const filter: Filter = {
    eventType: ['order.created'],
    status: ['PENDING', 'PROCESSING', 'FAILED_PERMANENTLY'],
  };
  const action: Action = {
    name: 'discard',
    actor: 'ann',
    reason: 'a test',
    filter,
    sets: { status: 'DISCARDED', processed_at: 'now', lease_token: null, lease_expires_at: null },
    details: { filter },
  };
  const discard = ({ db = database().db, budgetMs = 60_000 } = {}) =>
    runAction({ db, costLimit: 0, budgetMs }, action);
  /** The database, which does something after each batch of changes. */
  const afterBatch = (db: Database, then: () => unknown): Database => ({
    ...db,
    query: async (query) => {
      const result = await db.query<never>(query);
      if (query.text.includes('insert into dlq_audit_events')) await then();
      return result;
    },
  });
  const count = async (what: string) =>
    (await database().sql<{ count: number }>(`select count(*)::int from ${what}`))[0]?.count;

  it('reopens thousands of discarded events without a search for the edit of each', async () => {
    await manyEvents(database(), 3000);
    await discard();
    const filter: Filter = { status: ['DISCARDED'] };
    const sets = { status: 'PENDING', processed_at: null } as const;
    const reopen: Action = { ...action, name: 'reopen', filter, sets };
    const { changed } = await runAction({ db: database().db, costLimit: 3000 }, reopen);
    assert.equal(changed, 3000);
  });

  it('changes every event, in any number of batches', async () => {
    await manyEvents(database(), 2001);

    const { changed, remaining } = await discard();
    assert.deepEqual([changed, remaining], [2001, 0]);
    assert.equal(await count(`dlq_events where status = 'DISCARDED'`), 2001);
    assert.equal(await count('dlq_audit_events'), 2001);
  });

  it('ends when its time is up, and a repetition changes the rest', async () => {
    await manyEvents(database(), 2100);

    const first = await discard({ budgetMs: 0 });
    assert.deepEqual([first.changed, first.remaining], [2000, 100]);
    const second = await discard();
    assert.deepEqual([second.changed, second.remaining], [100, 0]);
  });

  it('does not change events captured after it began', async () => {
    // More than one selection: the second is made after the first batches.
    await manyEvents(database(), 20_001);
    const db = afterBatch(database().db, async () => {
      await anEvent(database());
      await database().sql(
        `delete from dlq_events using (select min(id) as id from dlq_events) as first
         where dlq_events.id between first.id + 2000 and first.id + 19999`,
      );
    });

    assert.equal((await discard({ db })).changed, 2001);
    assert.equal(await count(`dlq_events where status = 'PENDING'`), 11);
  });

  it('reports what it has changed if the database fails, and the audit has those events', async () => {
    await manyEvents(database(), 2001);
    const link = await openDatabaseLink(database().url);
    const db = openDatabase({ kind: 'url', url: link.url, poolMax: 2 }, 'test');

    await assert.rejects(discard({ db: afterBatch(db, () => link.cut()) }), {
      code: 'CUT_SHORT',
      message: /At least 2000 events were changed/,
    });
    assert.equal(await count('dlq_audit_events'), 2000);
    assert.equal((await discard()).changed, 1);
    await db.close();
  });

  it('shares the events with concurrent deliveries', async () => {
    await manyEvents(database(), 3000);
    const routes = [aRouteTo(target().url, { policy: { concurrency: 50 } })];
    const retry = retryConfig({ batchSize: 100 });
    // Deliveries begin before the first discard and finish after it.
    const discarded = Promise.withResolvers<void>();
    target().answer = (_request, response) => discarded.promise.then(() => response.writeHead(200).end('ok'));
    const ticking = runTick({ db: database().db, routes, retry });
    await waitUntil('a delivery is under way', () => target().received.length > 0);
    const { changed } = await discard({ db: afterBatch(database().db, () => discarded.resolve()) });
    const { tally } = await ticking;

    assert.equal(await count(`dlq_events where status = 'DISCARDED'`), changed);
    assert.equal(await count(`dlq_events where status = 'SUCCEEDED'`), tally.delivered);
    assert.deepEqual([target().received.length, tally.stale], [tally.delivered, 0]);
    assert.ok(changed > 0 && tally.delivered > 0);
  });
});
