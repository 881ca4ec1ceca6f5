import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { openDatabase } from '../../../shared/database/database.ts';
import type { DeliveryDeps } from '../../../shared/delivery/delivery-deps.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { redeliveredId } from '../../support/redelivered-id.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a retry tick', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const tick = (more: Partial<DeliveryDeps> = {}) =>
    runTick({ db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)], ...more });
  const count = async (condition: string) =>
    (await database().sql(`select from dlq_events where ${condition}`)).length;

  it('delivers batch after batch until nothing is due', async () => {
    await manyEvents(database(), 23);
    const { tally, stopped } = await tick({ retry: retryConfig({ batchSize: 5 }) });

    assert.deepEqual([tally.delivered, stopped], [23, 'nothing due']);
  });

  it('does not retry its own failures, even with a backoff of zero', async () => {
    target().answer = (_, response) => response.writeHead(503).end();
    await manyEvents(database(), 10);
    const policy = { backoff: { baseSeconds: 0 }, breaker: { consecutiveFailures: 100 } };
    const routes = [aRouteTo(target().url, { policy })];
    const { tally } = await tick({ routes, retry: retryConfig({ batchSize: 3 }) });

    assert.equal(tally.transient, 10);
    assert.equal(await count('retry_after <= now() and retry_count = 1'), 10);
  });

  it('ends when its time budget is spent and leaves nothing in PROCESSING', async () => {
    await manyEvents(database(), 1000);
    const { tally, stopped } = await tick({ retry: retryConfig({ batchSize: 1, tickBudgetSeconds: 0.4 }) });

    assert.equal(stopped, 'time budget spent');
    assert.equal(await count("status = 'PROCESSING'"), 0);
    assert.equal(await count("status = 'SUCCEEDED'"), tally.delivered);
    assert.ok(tally.delivered < 1000);
  });

  it('and a concurrent one deliver each of 200 due events exactly once', async () => {
    await manyEvents(database(), 200);
    const [one, other] = await Promise.all([tick(), tick()]);

    const ids = target().received.map(({ headers }) => redeliveredId(headers));
    assert.deepEqual([ids.length, new Set(ids).size], [200, 200]);
    assert.equal(one.tally.delivered + other.tally.delivered, 200);
    assert.ok([one.stopped, other.stopped].includes('another tick is running'));
  });

  for (const table of ['dlq_runs', 'dlq_run_workers']) {
    it(`delivers while a session that hangs has locked rows of ${table}`, async () => {
      await database().sql(
        `with run as (insert into dlq_runs (trigger, due_at) values ('schedule', now()) returning id)
         insert into dlq_run_workers (run_id, slot) select id, 1 from run`,
      );
      await manyEvents(database(), 3);
      const timeouts = { statementMs: 10_000, lockMs: 100, connectMs: 60_000 };
      const db = openDatabase({ kind: 'url', url: database().url, poolMax: 4 }, 'test', timeouts);
      await whileTransactionIsOpen(database().url, `select from ${table} for update`, async () => {
        const { tally, stopped } = await tick({ db });
        assert.deepEqual([tally.delivered, stopped], [3, 'nothing due']);
      });
      await db.close();
    });
  }

  it('respects the concurrency of a route', async () => {
    let open = 0;
    let max = 0;
    target().answer = (_, response) => {
      open += 1;
      max = Math.max(max, open);
      response.on('finish', () => {
        open -= 1;
      });
      setTimeout(() => response.end(), 50);
    };
    await manyEvents(database(), 12);
    await tick({ routes: [aRouteTo(target().url, { policy: { concurrency: 3 } })] });

    assert.equal(max, 3);
  });

  it('needs only one connection, and holds none during deliveries', async (context) => {
    const db = openDatabase({ kind: 'url', url: database().url, poolMax: 1 }, 'lonely');
    context.after(db.close);
    const held: (() => void)[] = [];
    target().answer = (_, response) => held.push(() => response.end());
    await manyEvents(database(), 5);
    const ticking = tick({ db });
    await waitUntil('all events are with the target', () => held.length === 5);

    const sessions = "select state from pg_stat_activity where application_name = 'lonely'";
    assert.deepEqual(await database().sql(sessions), [{ state: 'idle' }]);
    assert.deepEqual((await db.query({ text: 'select 1 as free' })).rows, [{ free: 1 }]);
    for (const answer of held) answer();
    assert.equal((await ticking).tally.delivered, 5);
  });

  it('delivers to a healthy target while another one is down', async () => {
    await manyEvents(database(), 60);
    const id = await anEvent(database(), { event_type: 'invoice.created' });
    const routes = [
      aRouteTo('http://127.0.0.1:1/', { match: { eventType: 'order.*' } }),
      aRouteTo(target().url),
    ];
    const { tally } = await tick({ routes });

    assert.equal(await count(`status = 'SUCCEEDED' and id = ${id}`), 1);
    assert.equal(await count("status = 'PENDING' and retry_count = 1"), tally.transient);
  });
});
