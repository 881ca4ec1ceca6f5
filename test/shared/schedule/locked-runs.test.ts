import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../../shared/database/database.ts';
import { recover } from '../../../shared/delivery/recover.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, claimAndDie, endLeases, progressOf } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('while another session has locked', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  let db: Database;
  before(() => {
    const timeouts = { statementMs: 60_000, lockMs: 60_000, connectMs: 60_000 };
    db = openDatabase({ kind: 'url', url: database().url, poolMax: 4 }, 'test', timeouts);
  });
  after(() => db.close());
  beforeEach(() => database().clear());
  /** Half of the concurrency is in flight until the target answers. */
  const deps = (settings = {}) => ({
    db,
    routes: [aRouteTo(target().url, { policy: { concurrency: 20 } })],
    retry: retryConfig(settings),
  });
  const tick = (settings = {}) => runTick(deps(settings));
  const count = async (status: string) =>
    (await database().sql('select from dlq_events where status = $1', [status])).length;
  /** Holds all responses of the target; returns a function that sends them. */
  const holdResponses = () => {
    const held: (() => void)[] = [];
    target().answer = (_, response) => void held.push(() => response.end());
    return () => {
      target().answer = (_, response) => response.end();
      for (const send of held) send();
    };
  };

  for (const [of, rows, meanwhile] of [
    ['that works', 'select from dlq_runs for update; select from dlq_run_workers for update', 'select'],
    [
      'whose slot expires',
      'select from dlq_runs for update',
      'update dlq_run_workers set heartbeat_at = default',
    ],
  ] as const) {
    it(`the run of a tick ${of}, it delivers all events and ends, and the next one closes the run`, async () => {
      await manyEvents(database(), 25);
      const sendResponses = holdResponses();
      const ticking = tick({ batchSize: 10, maxEventsPerTick: 20 });
      await waitUntil('the first ones are sent', () => target().received.length === 10);
      await whileTransactionIsOpen(database().url, rows, async () => {
        await database().sql(meanwhile);
        sendResponses();
        const { tally, stopped, run } = await ticking;
        assert.deepEqual([tally.delivered, stopped, run], [20, 'event limit reached', null]);
      });
      await database().sql('update dlq_run_workers set heartbeat_at = default');
      assert.equal((await tick()).tally.delivered, 5);
      assert.deepEqual(await database().sql('select from dlq_runs where ended_at is null'), []);
    });
  }

  it('the run of a tick that it has not committed, others deliver', async () => {
    await manyEvents(database(), 3);
    const lock = `insert into dlq_runs (trigger, due_at) values ('schedule', now())`;
    await whileTransactionIsOpen(database().url, lock, async () => {
      const { tally, runId } = await tick({ maxEventsPerTick: 2 });
      assert.deepEqual([tally.delivered, runId], [2, null]);
    });
    const attempts = await database().sql('select distinct run_id from dlq_attempts');
    assert.deepEqual(attempts, [{ run_id: null }]);
    assert.equal((await tick()).tally.delivered, 1);
  });

  it('the breaker of one target, those of others open', async () => {
    await manyEvents(database(), 5);
    await manyEvents(database(), 5, 'invoice.created');
    await database().sql(`insert into dlq_breakers (target) values ('http://127.0.0.1:1/')`);
    const routes = [1, 2].map((port) =>
      aRouteTo(`http://127.0.0.1:${port}/`, port === 1 ? { match: { eventType: 'order.*' } } : {}),
    );
    await whileTransactionIsOpen(database().url, 'select from dlq_breakers for update', async () => {
      await runTick({ ...deps(), routes });
      const open = `select target from dlq_breakers where state = 'OPEN'`;
      assert.deepEqual(await database().sql(open), [{ target: 'http://127.0.0.1:2/' }]);
    });
  });

  it('an event of a replay within it, the others are settled at once', async () => {
    await manyEvents(database(), 10);
    const { id } = await aRun(deps());
    const sendResponses = holdResponses();
    const working = workOnReplay(deps(), id, { endsAt: Date.now() + 600_000 });
    await waitUntil('all are sent', () => target().received.length === 10);
    await whileTransactionIsOpen(
      database().url,
      'select from dlq_run_events where position = 1 for update',
      async () => {
        sendResponses();
        await waitUntil('nine are settled', async () => (await count('SUCCEEDED')) === 9);
      },
    );
    assert.equal(await working, 'ended');
    assert.deepEqual([target().received.length, await count('SUCCEEDED')], [10, 10]);
  });

  it('a replay whose worker has died, it continues once it is free', async () => {
    await manyEvents(database(), 3);
    await database().sql(`update dlq_events set status = 'FAILED_PERMANENTLY'`);
    const run = await aRun(deps());
    await claimAndDie(database(), run);
    await endLeases(database());
    const lock = 'select from dlq_runs for update';
    await whileTransactionIsOpen(database().url, lock, async () => {
      await recover(deps({ maxLost: 1 }));
      assert.equal(await count('PROCESSING'), 3);
    });
    assert.equal((await progressOf(database(), run.id)).inFlight, 3);
    await tick();
    assert.equal((await progressOf(database(), run.id)).delivered, 3);
  });
});
