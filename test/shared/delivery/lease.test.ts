import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { deliverLeased } from '../../../shared/delivery/deliver.ts';
import { leaseEvents, lease as leaseOf } from '../../../shared/delivery/lease.ts';
import { recover } from '../../../shared/delivery/recover.ts';
import { openWork } from '../../../shared/delivery/work-state.ts';
import { finish } from '../../../shared/delivery/worker.ts';
import { statuses } from '../../../shared/message/event.ts';
import { openDueEvents } from '../../../shared/schedule/due-events.ts';
import { pick } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, endLeases } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait-until.ts';

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
    deliverLeased(work, await leaseOf(work, dealt, { dueAt: now }));
    await finish(work);
    assert.deepEqual(
      target().received.map(({ body }) => body.toString()),
      ['{"orderId": 1}'],
    );
  });
});

describe('an event that a picker found', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const sql = (text: string) => database().sql(text);
  const lease = async (terms: object) => {
    const leaseToken = randomUUID();
    const all = { runId: null, events: [], dueAt: null, upTo: null, leaseToken, leaseSeconds: 60, ...terms };
    return (await leaseEvents(database().db, all)).map(({ id }) => id);
  };
  const aReplay = async (ids: readonly string[]) => {
    const deps = { db: database().db, routes: [aRouteTo('http://shop/')] };
    return (await aRun(deps, { filter: { ids, status: statuses } })).id;
  };
  /** With another event, so that its run goes on without it. */
  const replayOf = async (id: string) => aReplay([id, await anEvent(database(), { event_type: 'other' })]);
  const key = { source_topic: 'orders', source_key: 'k', source_subscription: 's' };
  /** Leases the event for the schedule or for a replay that selected it before a change. */
  const leaseFor = async (by: string, id: string, { change = '', isOrdered = false }) => {
    const runId = await replayOf(id);
    await sql(change);
    const terms = by === 'the schedule' ? { dueAt: '2100-01-01' } : { runId, upTo: 5 };
    return (await lease({ ...terms, events: [{ id, isOrdered }] })).length;
  };
  const skipped = `update dlq_run_events set outcome = 'skipped', settled_at = now() where position = 1`;
  const claimed = `update dlq_events set status = 'PROCESSING', lease_expires_at = now() - interval '1 minute'`;

  for (const [what, change, by] of [
    ['was closed', "update dlq_events set status = 'DISCARDED'", 'both'],
    ['was delivered', "update dlq_events set status = 'SUCCEEDED'", 'both'],
    ['is held by a lease that has ended', claimed, 'both'],
    ['is due later', "update dlq_events set retry_after = '2200-01-01'", 'the schedule'],
    ['failed at its consumer again', 'update dlq_events set failure_count = 2', 'a replay'],
    ['is leased by its run', 'update dlq_run_events set is_leased = true', 'a replay'],
    ['has an outcome in its run', skipped, 'a replay'],
    ['is in a run that is paused', "update dlq_runs set paused_because = 'a test'", 'a replay'],
    ['is in a run that has ended', "update dlq_runs set ended_at = now(), stopped = 'a test'", 'a replay'],
  ] as const)
    for (const each of by === 'both' ? ['the schedule', 'a replay'] : [by])
      it(`is not leased for ${each} if meanwhile it ${what}`, async () => {
        assert.equal(await leaseFor(each, await anEvent(database()), { change }), 0);
      });

  for (const by of ['the schedule', 'a replay'])
    it(`is not leased for ${by} behind an earlier one of its key, unless its route has no order`, async () => {
      await anEvent(database(), key);
      const id = await anEvent(database(), key);
      assert.equal(await leaseFor(by, id, { isOrdered: true }), 0);
      assert.equal(await leaseFor(by, id, {}), 1);
    });

  it('is leased behind an earlier one of its key that another subscription could not deliver', async () => {
    await anEvent(database(), { ...key, source_subscription: 't' });
    assert.equal(await leaseFor('the schedule', await anEvent(database(), key), { isOrdered: true }), 1);
  });

  it('is not leased before a record of its partition with a lower offset, whichever was captured first', async () => {
    const record = (source_partition: number, source_offset: number) =>
      anEvent(database(), { ...key, source_partition, source_offset });
    const [later, other, lower] = [await record(2, 20), await record(1, 1), await record(2, 10)];
    const leased = await lease({ dueAt: '2100-01-01', events: [{ id: later, isOrdered: true }] });
    assert.deepEqual(leased, [], `behind ${lower}, and that behind ${other}`);
  });

  it('is not leased for a replay behind an edit of an earlier one, if it is closed', async () => {
    const edited_from = await anEvent(database(), { ...key, status: 'DISCARDED' });
    const id = await anEvent(database(), { ...key, status: 'SUCCEEDED' });
    await anEvent(database(), { ...key, edited_from });
    assert.equal(await leaseFor('a replay', id, { isOrdered: true }), 0);
  });

  it('is leased for a replay that selected it under a lost lease only once that is recovered', async () => {
    const id = await anEvent(database());
    await sql(claimed);
    const runId = await replayOf(id);
    const leaseIt = () => lease({ runId, events: [{ id, isOrdered: false }], upTo: 5 });
    assert.deepEqual(await leaseIt(), []);
    await endLeases(database());
    await recover({ db: database().db, retry: retryConfig() });
    assert.deepEqual(await leaseIt(), [id]);
  });

  it('is leased for a replay although it was retried meanwhile, and failed permanently', async () => {
    const change = "update dlq_events set status = 'FAILED_PERMANENTLY'";
    assert.equal(await leaseFor('a replay', await anEvent(database()), { change }), 1);
  });

  it('is leased for a replay only while that has begun fewer than it may', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await anEvent(database()));
    const runId = await aReplay(ids);
    await sql('update dlq_runs set delivered = 1, failed = 1, in_flight = 1');
    const events = ids.map((id) => ({ id, isOrdered: false }));
    assert.deepEqual(await lease({ runId, events, upTo: 2 }), []);
    assert.equal((await lease({ runId, events, upTo: 4 })).length, 1);
  });

  for (const [what, change] of [
    ['is paused', "update dlq_runs set paused_because = 'a test'"],
    ['skips it', skipped],
  ] as const)
    it(`is not leased for a replay that ${what} at this moment`, async () => {
      const id = await anEvent(database());
      const runId = await replayOf(id);
      await whileTransactionIsOpen(database().url, change, async (commit) => {
        const leasing = lease({ runId, events: [{ id, isOrdered: false }], upTo: 1 });
        const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        let isDone = false;
        leasing
          .finally(() => {
            isDone = true;
          })
          .catch(() => {});
        await waitUntil('it waits or ends', async () => isDone || (await sql(isWaiting)).length > 0);
        await commit();
        assert.deepEqual(await leasing, []);
      });
    });
});
