import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { report } from '../../../functions/maintain/metrics.ts';
import { aggregateMeanwhile } from '../../../functions/retry/retry.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { type Database, openDatabase } from '../../../shared/database/database.ts';
import { fillFingerprints } from '../../../shared/fingerprint/fill-fingerprints.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, claimAndDie, endLeases } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

const counts = ['dlq_counts'];
const tables = [
  ...['dlq_runs', 'dlq_run_workers', 'dlq_breakers', 'dlq_leases'],
  ...['dlq_run_events', 'dlq_error_groups'],
];
const locks = {
  ...Object.fromEntries(tables.map((table) => [table, [table]])),
  'all counts': counts,
  'every table that a tick changes except dlq_events': [
    ...tables,
    ...counts,
    'dlq_attempts',
    'dlq_count_deltas',
  ],
};

describe('while another session has locked all rows of', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  let db: Database;
  before(() => {
    // A statement that waits for a lock without a limit of its own fails the test.
    const timeouts = { statementMs: 600_000, lockMs: 600_000, connectMs: 60_000 };
    db = openDatabase({ kind: 'url', url: database().url, poolMax: 4 }, 'test', timeouts);
  });
  after(() => db.close());
  beforeEach(() => database().clear());
  const routes = () => [
    aRouteTo(target().url, { match: { eventType: 'invoice.*' } }),
    aRouteTo(`${target().url}limited`, { match: { eventType: 'limited.*' }, policy: { ratePerSecond: 5 } }),
    aRouteTo('http://127.0.0.1:1/', { match: { eventType: 'down.*' } }),
    aRouteTo('http://shop/'),
  ];
  const deps = (settings = {}) => ({ db, routes: routes(), retry: retryConfig(settings) });
  const count = async (eventType: string, status: string) => {
    const found = 'select from dlq_events where event_type = $1 and status = $2';
    return (await database().sql(found, [eventType, status])).length;
  };
  /** Makes rows of all tables: an open tick, a replay whose worker has died three times, and what other ticks leave. */
  const fillTables = async () => {
    const types = ['order.created', 'limited.created', 'down.created'];
    for (const type of types) await manyEvents(database(), 1, type);
    await runTick({ ...deps(), db: database().db });
    await fillFingerprints(database().db);
    await aggregateCounts(database().db);
    for (const type of types) await manyEvents(database(), 2, type);
    const run = await aRun(deps(), { filter: { eventType: 'order.*' } });
    await claimAndDie(database(), run);
    await endLeases(database());
    await database().sql(
      `with run as (insert into dlq_runs (trigger, due_at) values ('schedule', now()) returning id)
       insert into dlq_run_workers (run_id, slot) select id, 1 from run`,
    );
  };

  for (const [name, locked] of Object.entries(locks)) {
    it(`${name}, events are captured, delivered and measured`, { timeout: 300_000 }, async () => {
      await fillTables();
      for (const table of locked) assert.ok((await database().sql(`select from ${table}`)).length > 0, table);
      const lock = locked.map((table) => `select from ${table} for update`).join(';');
      await whileTransactionIsOpen(database().url, lock, async () => {
        await manyEvents(database(), 3, 'invoice.created');
        const capture = { ...aCapture(), eventType: 'invoice.created' };
        await storeCaptures({ db, repeatSeconds: 60 }, [capture]);
        const work = () => runTick(deps({ maxEventsPerTick: 100, tickBudgetSeconds: 2 }));
        // A busy machine may need the time of another tick.
        await waitUntil('all are delivered', async () => {
          await aggregateMeanwhile(db, work);
          return (await count('invoice.created', 'SUCCEEDED')) === 4;
        });
        await report({ db, routes: routes() });
      });
    });
  }
});
