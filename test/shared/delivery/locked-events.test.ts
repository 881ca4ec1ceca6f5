import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { openDatabase, within } from '../../../shared/database/database.ts';
import { workerDeadlineMs } from '../../../shared/delivery/delivery-deps.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { openDatabaseLink } from '../../support/database-link.ts';
import { manyEvents } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a settlement', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const tick = () => {
    // Half of the concurrency is in flight until the target answers.
    const route = aRouteTo(target().url, { policy: { concurrency: 20 } });
    return runTick({ db: database().db, retry: retryConfig(), routes: [route] });
  };
  const count = async (status: string) =>
    (await database().sql('select from dlq_events where status = $1', [status])).length;
  /** Holds all responses of the target; returns a function that sends them. */
  const holdResponses = () => {
    const held: (() => void)[] = [];
    target().answer = (_, response) => void held.push(() => response.end());
    return () => {
      for (const send of held) send();
    };
  };
  const waitingForLock = () =>
    database().sql<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%with locked as%' and application_name = 'test'`,
    );

  it('of a batch settles the others at once if another transaction has locked one of its events', async () => {
    await manyEvents(database(), 10);
    const sendResponses = holdResponses();
    const ticking = tick();
    await waitUntil('all are sent', () => target().received.length === 10);
    const lock = 'select from dlq_events where id = (select min(id) from dlq_events) for update';
    await whileTransactionIsOpen(database().url, lock, async () => {
      sendResponses();
      await waitUntil('nine are settled', async () => (await count('SUCCEEDED')) === 9);
    });
    const { tally } = await ticking;
    assert.deepEqual([tally.delivered, tally.stale, target().received.length], [10, 0, 10]);
  });

  it('of a locked event ends with its lease, and counts as stale', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    await manyEvents(database(), 2);
    const sendResponses = holdResponses();
    const ticking = tick();
    await waitUntil('both are sent', () => target().received.length === 2);
    const lock = 'select from dlq_events where id = (select min(id) from dlq_events) for update';
    await whileTransactionIsOpen(database().url, lock, async () => {
      sendResponses();
      await waitUntil('the other one is settled', async () => (await count('SUCCEEDED')) === 1);
      mock.timers.tick(60_000);
      const { tally } = await ticking;
      assert.deepEqual([tally.delivered, tally.stale], [1, 1]);
    });
  });

  it('does not delay events that become due while another transaction has locked an event', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    await manyEvents(database(), 1);
    const sendResponses = holdResponses();
    const ticking = tick();
    await waitUntil('the event is sent', () => target().received.length === 1);
    const lock = 'select from dlq_events where id = (select min(id) from dlq_events) for update';
    await whileTransactionIsOpen(database().url, lock, async () => {
      sendResponses();
      target().answer = (_, response) => response.end();
      await manyEvents(database(), 3, 'invoice.created');
      assert.equal((await tick()).stopped, 'another tick is running');
      await waitUntil('the new events are settled', async () => (await count('SUCCEEDED')) === 3);
      mock.timers.tick(60_000);
      await ticking;
    });
  });

  it('is repeated until the lease ends if its statement is cancelled', async () => {
    await manyEvents(database(), 10);
    const sendResponses = holdResponses();
    const ticking = tick();
    await waitUntil('all are sent', () => target().received.length === 10);
    await whileTransactionIsOpen(database().url, 'lock table dlq_attempts in exclusive mode', async () => {
      sendResponses();
      for (let cancelled = 0; cancelled < 3; cancelled++) {
        await waitUntil('the settlement waits', async () => (await waitingForLock()).length > 0);
        for (const { pid } of await waitingForLock())
          await database().sql('select pg_cancel_backend($1)', [pid]);
        await waitUntil('it is cancelled', async () => (await waitingForLock()).length === 0);
      }
    });
    const { tally } = await ticking;
    assert.deepEqual([tally.delivered, tally.stale, target().received.length], [10, 0, 10]);
  });

  it('is repeated on another connection if its own is silent, while new events are delivered', async () => {
    const link = await openDatabaseLink(database().url);
    const opened = openDatabase({ kind: 'url', url: link.url, poolMax: 4, notify: false }, 'silent');
    const db = within(opened, workerDeadlineMs);
    await manyEvents(database(), 10);
    const sendResponses = holdResponses();
    const routes = [aRouteTo(target().url, { policy: { concurrency: 20 } })];
    // The worker may end, if its connection is silent while it looks for more.
    const silent = Promise.allSettled([runTick({ db, retry: retryConfig(), routes })]);
    await waitUntil('all are sent', () => target().received.length === 10);
    link.freeze();
    target().answer = (_, response) => response.end();
    sendResponses();
    await manyEvents(database(), 3, 'invoice.created');
    await waitUntil(
      'new events are delivered',
      async () => (await tick()) && target().received.length === 13,
    );
    await silent;
    assert.deepEqual([target().received.length, await count('SUCCEEDED')], [13, 13]);
    // Cut first: a frozen connection that is idle never ends.
    await link.cut();
    await db.close();
  });
});
