import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Act, carryOutAct } from '../../../../functions/replay/acts/carry-out-act.ts';
import { runTick } from '../../../../functions/retry/run-tick.ts';
import { discardEvents } from '../../../../shared/acts.ts';
import type { Database } from '../../../../shared/database.ts';
import { openDatabase } from '../../../../shared/database.ts';
import type { Filter } from '../../../../shared/filter/filter-schema.ts';
import { useDatabase } from '../../../support/database.ts';
import { openDatabaseLink } from '../../../support/database-link.ts';
import { anEvent, manyEvents } from '../../../support/factories.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';
import { waitUntil } from '../../../support/wait-until.ts';

describe('carrying out an act', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().sql('truncate dlq_events, dlq_audit, dlq_audit_events, dlq_attempts'));
  const filter: Filter = {
    eventType: ['order.created'],
    status: ['PENDING', 'PROCESSING', 'FAILED_PERMANENTLY'],
  };
  const discardAct = (db: Database): Act => ({
    name: 'discard',
    actor: 'ann',
    reason: 'a test',
    filter,
    priority: null,
    details: { filter },
    change: (ids, auditId) => discardEvents(db, filter, { ids, auditId }),
  });
  const discard = (more: { db?: Database; budgetMs?: number; change?: Act['change'] } = {}) => {
    const { db = database().db, budgetMs = 60_000, ...act } = more;
    return carryOutAct({ db, costLimit: 0, budgetMs }, { ...discardAct(db), ...act });
  };
  const count = async (what: string) =>
    (await database().sql<{ count: number }>(`select count(*)::int from ${what}`))[0]?.count;

  it('reaches every event, however many batches it takes', async () => {
    await manyEvents(database(), 22_001);

    const { changed, remaining } = await discard();
    assert.deepEqual([changed, remaining], [22_001, 0]);
    assert.equal(await count(`dlq_events where status = 'DISCARDED'`), 22_001);
    assert.equal(await count('dlq_audit_events'), 22_001);
  });

  it('ends when its time is up, and the same act again does the rest', async () => {
    await manyEvents(database(), 4500);

    const first = await discard({ budgetMs: 0 });
    assert.deepEqual([first.changed, first.remaining], [2000, 2500]);
    const second = await discard();
    assert.deepEqual([second.changed, second.remaining], [2500, 0]);
  });

  it('leaves to others what is captured after it began', async () => {
    // More than are chosen at once: the next choice is made after the first batches.
    await manyEvents(database(), 20_001);
    const change: Act['change'] = async (ids, auditId) => {
      await anEvent(database());
      return discardEvents(database().db, filter, { ids, auditId });
    };

    assert.equal((await discard({ change })).changed, 20_001);
    assert.equal(await count(`dlq_events where status = 'PENDING'`), 11);
  });

  it('tells what it has done where the database is lost in between, and the audit knows which', async () => {
    await manyEvents(database(), 2001);
    const link = await openDatabaseLink(database().url);
    const db = openDatabase({ kind: 'url', url: link.url, poolMax: 2 }, 'test');
    const change: Act['change'] = async (ids, auditId) => {
      const done = await discardEvents(db, filter, { ids, auditId });
      await link.cut();
      return done;
    };

    await assert.rejects(discard({ db, change }), {
      code: 'CUT_SHORT',
      message: /after at least 2000 events/,
    });
    assert.equal(await count('dlq_audit_events'), 2000);
    assert.equal((await discard()).changed, 1);
    await db.close();
  });

  it('and deliveries at the same time share the events between them', async () => {
    await manyEvents(database(), 3000);
    const routes = [aRouteTo(target().url, { policy: { concurrency: 50 } })];
    const retry = retryConfig({ batchSize: 100 });
    // Deliveries have begun before anything is discarded, and go on once something is.
    const discarded = Promise.withResolvers<void>();
    target().answer = (_request, response) => discarded.promise.then(() => response.writeHead(200).end('ok'));
    const ticking = runTick({ db: database().db, routes, retry });
    await waitUntil('a delivery is under way', () => target().received.length > 0);
    const change: Act['change'] = async (ids, auditId) => {
      let changed = 0;
      for (let i = 0; i < ids.length; i += 20) {
        const [done] = await discardEvents(database().db, filter, { ids: ids.slice(i, i + 20), auditId });
        changed += done?.changed ?? 0;
        if (changed > 0) discarded.resolve();
      }
      return [{ changed }];
    };
    const { changed } = await discard({ change });
    const { tally } = await ticking;

    assert.equal(await count(`dlq_events where status = 'DISCARDED'`), changed);
    assert.equal(await count(`dlq_events where status = 'SUCCEEDED'`), tally.delivered);
    assert.deepEqual([target().received.length, tally.stale], [tally.delivered, 0]);
    assert.ok(changed > 0 && tally.delivered > 0);
  });
});
