import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { aggregateMeanwhile } from '../../../functions/retry/retry.ts';
import { causeOf } from '../../../shared/delivery/cause.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { withoutSlowStarts } from '../../support/slow-starts.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a tick delivers all that was due when it began', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const deps = (settings = {}, policy = {}) => ({
    db: database().db,
    retry: retryConfig(settings),
    routes: [aRouteTo(target().url, { policy })],
  });
  beforeEach(() => database().clear());

  it('also of 300 rows that plain SQL has inserted just now, whose fingerprints are computed meanwhile', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, error_reason)
       select 'order.created', '{}', 'timeout' from generate_series(1, 300)`,
    );
    const { tally } = await aggregateMeanwhile(database().db, () => runTick(deps()));
    assert.equal(tally.delivered, 300);
  });

  it('also what its lease was too short for at first', async () => {
    await manyEvents(database(), 12);
    const { tally } = await runTick(
      deps({ leaseSeconds: 3, batchSize: 50 }, { timeoutSeconds: 2, concurrency: 1 }),
    );
    assert.deepEqual([tally.delivered, tally.stale], [12, 0]);
  });

  it('also an event that is locked for a moment', async () => {
    const locked = await anEvent(database());
    await anEvent(database());
    const lock = `select from dlq_events where id = ${locked} for update`;
    await whileTransactionIsOpen(database().url, lock, async (commit) => {
      const ticking = runTick(deps());
      await waitUntil('the other one is delivered', () => target().received.length === 1);
      await commit();
      assert.equal((await ticking).tally.delivered, 2);
    });
  });

  it('also events that its target once accepted, though the first two of them fail', async () => {
    await manyEvents(database(), 12);
    const one = deps({}, { concurrency: 1 });
    await runTick(one);
    // As after reports of their consumer, which a statement by hand is not.
    const [{ cause } = {}] = await database().sql('select cause from dlq_events limit 1');
    await database().sql(`update dlq_events set status = 'PENDING'`);
    await database().sql('update dlq_events set cause = $1', [cause]);
    let requests = 0;
    target().answer = (_, response) => response.writeHead(++requests > 2 ? 200 : 503).end();
    const { tally } = await runTick(one);
    assert.deepEqual([tally.transient, tally.delivered], [2, 10]);
  });

  it('says how many it refused, if it did nothing else', async () => {
    for (let i = 0; i < 3; i++) await anEvent(database(), { created_at: '2026-01-02' });
    const { tally } = await runTick(deps({}, { maxAge: '1h' }));
    assert.deepEqual([tally.refused, tally.claimed], [3, 0]);
    const busy = `select from dlq_runs where (tally ->> 'refused')::int > 0`;
    assert.equal((await database().sql(busy)).length, 1);
  });

  /** How many of 60 events a tick delivers to a target that answers 503 to some requests. */
  const tickAtOutage = async (isDown: (nth: number) => boolean) => {
    // An answer takes longer than a look at what is due, and a tick is shorter than a lease.
    target().answer = (_, response) =>
      setTimeout(() => response.writeHead(isDown(target().received.length) ? 503 : 200).end(), 100);
    const breaker = { cooldownSeconds: 1, maxCooldownSeconds: 1 };
    const all = deps({ tickBudgetSeconds: 50 }, { backoff: { baseSeconds: 0 }, breaker });
    await runTick({ ...all, db: withoutSlowStarts(database()) });
    const [row] = await database().sql(
      `select count(*)::int as events from dlq_events where status = 'SUCCEEDED'`,
    );
    return Number(row?.events);
  };

  it('also at a target that is down at first, as long as some of it was not tried there', async () => {
    await manyEvents(database(), 60);
    assert.ok((await tickAtOutage((nth) => nth < 12)) > 35);
  });

  it('also after a short outage of a target that has taken events in this tick, all of which had failed there', async () => {
    await manyEvents(database(), 60);
    await database().sql('update dlq_events set cause = $1', [causeOf(target().url, 'mended')]);
    assert.ok((await tickAtOutage((nth) => nth > 12 && nth < 22)) > 35);
  });
});
