import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { archiveClosed, createArchivePartitions } from '../../../shared/archive/archive-closed.ts';
import { warnOfOverdue } from '../../../shared/archive/warn-of-overdue.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { changeRun } from '../../../shared/replay/run.ts';
import { archiveTerms as age, closedLongAgo as closed } from '../../support/archived-event.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { countReads } from '../../support/plans.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';
import { vacuumEvents } from '../../support/vacuum.ts';

describe('the archive job', () => {
  const database = useDatabase();
  const archive = (endsAt = Number.POSITIVE_INFINITY, undecided = 0) =>
    archiveClosed(database().db, { ...age, archiveUndecidedAfterDays: undecided }, endsAt);
  const archiveUndecided = () => archive(Number.POSITIVE_INFINITY, 90);
  const list = async (table: string) =>
    (await database().sql<{ id: string }>(`select id from ${table} order by id`)).map(({ id }) => id);

  beforeEach(() => database().clear());

  it('moves closed events unchanged, delivered and discarded ones', async () => {
    for (const status of ['SUCCEEDED', 'DISCARDED']) await anEvent(database(), { ...closed, status });
    const before = await database().sql('select * from dlq_events order by id');
    assert.equal(await archive(), 2);
    assert.deepEqual(await list('dlq_events'), []);
    assert.deepEqual(await database().sql('select * from dlq_events_archive order by id'), before);
  });

  it('keeps a permanent failure that nobody decided, unless a setting says for how long', async () => {
    const id = await anEvent(database(), { ...closed, status: 'FAILED_PERMANENTLY' });
    assert.equal(await archive(), 0);
    assert.deepEqual(await list('dlq_events'), [id]);
    assert.equal(await archiveUndecided(), 1);
  });

  it('keeps a permanent failure for which another event of its key waits', async () => {
    const key = { source_key: 'k', source_topic: 'orders' };
    const first = await anEvent(database(), { ...closed, ...key, status: 'FAILED_PERMANENTLY' });
    const delivered = await anEvent(database(), { ...closed, ...key });
    const later = await anEvent(database(), key);
    assert.equal(await archiveUndecided(), 1);
    assert.deepEqual(await list('dlq_events_archive'), [delivered]);
    await database().sql(`update dlq_events set status = 'DISCARDED' where id = $1`, [later]);
    assert.equal(await archiveUndecided(), 1);
    assert.deepEqual(await list('dlq_events_archive'), [first, delivered]);
  });

  it('keeps what a replay that has not ended has selected', async () => {
    await anEvent(database(), closed);
    const deps = { db: database().db, routes: [aRouteTo('http://shop/')] };
    const { id: runId } = await aRun(deps, { filter: { status: 'SUCCEEDED' } });
    await changeRun(database().db, 'pause', { runId, actor: 'ada', reason: null });
    assert.equal(await archive(), 0);
    await changeRun(database().db, 'cancel', { runId, actor: 'ada', reason: null });
    assert.equal(await archive(), 1);
  });

  it('announces for a week that it will move permanent failures', async () => {
    const at = (days: number) => new Date(Date.now() - days * 86_400_000);
    await anEvent(database(), { ...closed, status: 'FAILED_PERMANENTLY', processed_at: at(82) });
    const warn = async (archiveUndecidedAfterDays: number) =>
      (await warnOfOverdue(database().db, { openWarnDays: 14, archiveUndecidedAfterDays })).undecided;
    assert.deepEqual([await warn(90), await warn(0)], [0, 0]);
    await anEvent(database(), { ...closed, status: 'FAILED_PERMANENTLY', processed_at: at(84) });
    assert.deepEqual([await warn(90), await warn(0)], [1, 0]);
  });

  it('keeps open events of any age', async () => {
    const ids = [
      await anEvent(database(), { ...closed, status: 'PENDING', processed_at: null }),
      await anEvent(database(), {
        ...closed,
        status: 'PENDING',
        processed_at: null,
        reopened_at: closed.processed_at,
      }),
      await anEvent(database(), { ...closed, status: 'PROCESSING', processed_at: null }),
    ];
    assert.deepEqual([await archive(), await archiveUndecided()], [0, 0]);
    assert.deepEqual(await list('dlq_events'), ids);
  });

  it('keeps a recently closed event', async () => {
    const id = await anEvent(database(), { ...closed, processed_at: new Date() });
    assert.equal(await archive(), 0);
    assert.deepEqual(await list('dlq_events'), [id]);
  });

  it('moves an event whose created_at an operator set to the future', async () => {
    await anEvent(database(), { ...closed, created_at: '2100-01-01T00:00:00Z' });
    assert.equal(await archive(), 1);
  });

  it('keeps a restored event as long as one that was closed at that time', async () => {
    const restored = (days: number) =>
      anEvent(database(), { ...closed, reopened_at: new Date(Date.now() - days * 86_400_000) });
    await restored(31);
    const kept = await restored(29);
    assert.equal(await archive(), 1);
    assert.deepEqual(await list('dlq_events'), [kept]);
  });

  it('keeps an event while its source may send it again', async () => {
    const thirtyDaysAgo = new Date(Date.now() - 30.5 * 86_400_000);
    const at = { created_at: thirtyDaysAgo, first_failure_at: thirtyDaysAgo, last_failure_at: thirtyDaysAgo };
    const id = await anEvent(database(), { ...closed, ...at, processed_at: thirtyDaysAgo });
    assert.equal(await archive(), 0);
    assert.deepEqual(await list('dlq_events'), [id]);
  });

  it('recognizes an event that its source sends again within its retention', async () => {
    const { db, sql } = database();
    const capture = async () => (await storeCaptures({ db, repeatSeconds: 600 }, [aCapture()]))[0]?.isNew;
    const age = (days: number) =>
      sql(
        `update dlq_events set status = 'SUCCEEDED', created_at = created_at - $1::interval,
           first_failure_at = first_failure_at - $1::interval, last_failure_at = last_failure_at - $1::interval,
           processed_at = now() - $1::interval`,
        [`${days} days`],
      );
    assert.equal(await capture(), true);
    for (let again = 0; again < 2; again++) {
      await age(30.5);
      assert.equal(await archive(), 0);
      assert.equal(await capture(), false);
    }
    await age(31.5);
    assert.equal(await archive(), 1);
  });

  it('moves several batches, oldest first, and none twice by concurrent workers', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, status, created_at, first_failure_at, last_failure_at, processed_at)
       select 'order.created', '{}', 'SUCCEEDED', at, at, at, at
       from generate_series(1, 1234) n, lateral (select timestamptz '2026-01-15' + n * interval '1 second' as at) as t`,
    );
    const counts = await Promise.all([archive(), archive(), archive()]);
    assert.equal(
      counts.reduce((sum, each) => sum + each),
      1234,
    );
    assert.equal(new Set(await list('dlq_events_archive')).size, 1234);
  });

  it('skips a locked event without waiting', async () => {
    const held = await anEvent(database(), closed);
    const free = await anEvent(database(), closed);
    const hold = `select from dlq_events where id = ${held} for update`;
    await whileTransactionIsOpen(database().url, hold, async () => {
      assert.equal(await archive(), 1);
    });
    assert.deepEqual(await list('dlq_events_archive'), [free]);
  });

  it('reads little more than it moves, with any number of later events', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, status, created_at, first_failure_at, last_failure_at, processed_at)
       select 'order.created', '{}', '', 'SUCCEEDED', at, at, at, at
       from generate_series(1, 5000) n, lateral (select timestamptz '2026-01-15' + n * interval '1 second' as at) as t`,
    );
    await vacuumEvents(database());
    const batch = { ...age, after: '-infinity', limit: 50 };
    const reads = await countReads(database(), 'archive-events', batch);
    assert.ok(reads.custom < 500 && reads.generic < 500, JSON.stringify(reads));
  });

  it('reads none of the events that were closed too lately, however long they stay', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, status, created_at, first_failure_at, last_failure_at, processed_at)
       select 'order.created', '{}', '', 'SUCCEEDED', at, at, at, at
       from generate_series(1, 5000) n, lateral (select now() - interval '300 days' + n * interval '1 second' as at) as t`,
    );
    await vacuumEvents(database());
    const days = { archiveAfterDays: 365, archiveUndecidedAfterDays: 0, sourceRetentionDays: 31 };
    const reads = await countReads(database(), 'archive-events', { ...days, after: '-infinity', limit: 50 });
    assert.deepEqual(reads, { custom: 0, generic: 0 });
  });

  it('moves each event into the partition of its month', async () => {
    const id = await anEvent(database(), closed);
    await createArchivePartitions(database().db, { ahead: 1 });
    await archive();
    assert.deepEqual(await list('dlq_events_archive_2026_01'), [id]);
  });

  it('starts no batch after endsAt', async () => {
    await anEvent(database(), closed);
    assert.equal(await archive(Date.now() - 1), 0);
  });
});
