import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import type { Database } from '../../../shared/database/database.ts';
import { readMessages } from '../../../shared/delivery/messages.ts';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { type Cost, explainAll } from '../../support/costs.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { vacuumEvents } from '../../support/vacuum.ts';

const batch = 50;

/**
 * The limits for one event in a batch of 50, beside 2000 closed events and 1000 due ones: a tenth above the
 * measured cost.
 */
const limits: Record<string, Cost> = {
  'capture-events': { pages: 30.4, rows: 0.1, walBytes: 1880 },
  'lease-events': { pages: 10.4, rows: 2.2, walBytes: 305 },
  'pick-due': { pages: 5, rows: 23, walBytes: 0 },
  'read-messages': { pages: 3.5, rows: 1.1, walBytes: 15 },
  'settle-events': { pages: 32, rows: 2.3, walBytes: 1250 },
};

const explanation = (name: string) =>
  `${name}.sql costs more per event than its limit in this test (pages: of tables and indexes, read from memory or disk; rows: of dlq_events; walBytes: written to the log, without triggers). Look at its plan with EXPLAIN (ANALYZE, BUFFERS, WAL). If the change is worth it, raise the limit, with the reason in its commit.`;

describe('the cost of', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const costs = new Map<string, Cost[]>();
  before(async () => {
    await manyEvents(database(), 3000);
    await database().sql(
      `update dlq_events set status = 'SUCCEEDED', processed_at = now() where id % 3 <> 0`,
    );
    await vacuumEvents(database());
    const explaining = explainAll(database().db, (name, { isWhole, ...cost }) => {
      if (isWhole) costs.set(name, [...(costs.get(name) ?? []), cost]);
    });
    // Several times: the suites beside this one cause checkpoints and delay the removal of old rows, which
    // costs log and pages. A time with a checkpoint does not count, and of the others the least.
    const areWithinLimits = () => Object.keys(limits).every(isWithinLimits);
    for (let i = 0; i < 4 || (i < 15 && !areWithinLimits()); i++) {
      await capture(explaining);
      await deliver(explaining);
    }
  });

  const leastCost = (name: string): Cost => {
    const found = costs.get(name) ?? [];
    const least = (key: keyof Cost) => Math.min(...found.map((cost) => cost[key])) / batch;
    return { pages: least('pages'), rows: least('rows'), walBytes: least('walBytes') };
  };
  const isWithinLimits = (name: string) => {
    const [cost, limit] = [leastCost(name), limits[name]];
    return !!limit && (['pages', 'rows', 'walBytes'] as const).every((key) => cost[key] <= limit[key]);
  };

  const capture = async (db: Database) => {
    const captures = Array.from({ length: batch }, () => aReport()).flat();
    await storeCaptures({ db, repeatSeconds: 600 }, captures);
  };
  const deliver = async (db: Database) => {
    const leaseToken = randomUUID();
    await claim({ ...database(), db: claiming(db) }, { leaseToken, limit: batch });
    const leased = 'select id from dlq_events where lease_token = $1';
    const ids = (await database().sql<{ id: string }>(leased, [leaseToken])).map(({ id }) => id);
    const events = ids.map((id) => ({ id, leaseToken, target: 'http://shop/' }));
    await readMessages(db, { events, maxBytes: 2 ** 15, maxTotal: 2 ** 20 });
    const settlements = ids.map((id) => aSettlement(id, leaseToken));
    await settleEvents(db, { runId: '1', settlements });
  };
  /** Explains the pick and the lease alone, without the questions before them. Picked events are leased. */
  const claiming = (explaining: Database): Database => ({
    ...explaining,
    query: async (query) => {
      if (query.name === 'pick-due') await explaining.query(query);
      return (query.name === 'lease-events' ? explaining : database().db).query(query);
    },
  });

  for (const [name, limit] of Object.entries(limits)) {
    it(`${name}.sql stays within its limits, per event in a batch of ${batch}`, () => {
      assert.ok(
        isWithinLimits(name),
        `${explanation(name)} ${JSON.stringify({ cost: leastCost(name), limit })}`,
      );
    });
  }

  it('a tick of four batches is twelve leases and eight reports of health at most, and eleven statements for none', async () => {
    const counts = new Map<string, number>();
    const { db } = database();
    const counting: Database = {
      ...db,
      query: (query) => {
        counts.set(query.name ?? '', (counts.get(query.name ?? '') ?? 0) + 1);
        return db.query(query);
      },
    };
    await database().clear('dlq_events', 'dlq_attempts', 'dlq_leases');
    const tick = () => runTick({ db: counting, retry: retryConfig(), routes: [aRouteTo(target().url)] });
    await tick();
    const empty = [...counts.values()].reduce((sum, count) => sum + count, 0);
    counts.clear();
    await manyEvents(database(), 4 * batch);
    assert.equal((await tick()).tally.delivered, 4 * batch);
    const [claims = 0, judgements = 0] = ['lease-events', 'judge-breaker'].map((name) => counts.get(name));
    const counted = JSON.stringify({ empty, ...Object.fromEntries(counts) });
    assert.ok(empty <= 11 && claims <= 12 && judgements <= 8, counted);
  });
});

/** A failure as a consumer reports it, with 500 bytes of message. */
function aReport() {
  const payload = { orderId: randomUUID(), note: 'x'.repeat(440) };
  const report = {
    eventType: 'order.created',
    eventId: randomUUID(),
    payload,
    error: { message: 'timed out' },
  };
  return readCaptures({
    path: '/',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(report)),
  });
}
