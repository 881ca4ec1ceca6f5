import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { archiveClosed, createArchivePartitions } from '../../../shared/archive/archive-closed.ts';
import { dropExpired } from '../../../shared/archive/drop-expired.ts';
import { anArchivedEvent } from '../../support/archived-event.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

const age = { archiveAfterDays: 2, archiveUndecidedAfterDays: 0, sourceRetentionDays: 31 };

describe('the archive', () => {
  const database = useDatabase();
  const archive = () => archiveClosed(database().db, age, Number.POSITIVE_INFINITY);
  beforeEach(() => database().clear());

  for (const [what, [created, failed, closed, reopened], moved] of [
    ['keeps an event that was captured lately, however old its failure', [10, 90, 5, null], 0],
    ['moves an event that was captured long ago, and closed lately', [40, 90, 5, null], 1],
    ['keeps an event that was reopened long ago, and closed lately', [90, 90, 1, 60], 0],
  ] as const)
    it(`${what}, if events move two days after they are closed`, async () => {
      const at = (days: number) => new Date(Date.now() - days * 86_400_000);
      await anEvent(database(), {
        status: 'SUCCEEDED',
        created_at: at(created),
        first_failure_at: at(failed),
        last_failure_at: at(failed),
        processed_at: at(closed),
        reopened_at: reopened && at(reopened),
      });
      assert.equal(await archive(), moved);
    });

  it('moves all that failed at one moment, in batches', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, status, created_at, first_failure_at, last_failure_at, processed_at)
       select 'order.created', '{}', 'SUCCEEDED', at, at, at, at from generate_series(1, 600), (select timestamptz '2026-01-15' as at) as t`,
    );
    assert.equal(await archive(), 600);
  });

  it('gets its partitions, whatever times plain SQL gave to events and archived ones', async () => {
    const { db, sql } = database();
    for (const at of ['infinity', '294276-12-31', '100000-01-01', '4714-11-24 00:00Z BC'])
      await anEvent(database(), { status: 'SUCCEEDED', created_at: at });
    const moved = 'with moved as (delete from dlq_events returning *)';
    await sql(`${moved} insert into dlq_events_archive select * from moved`);
    await anEvent(database(), { created_at: '2100-01-01' });
    const created = await createArchivePartitions(db, { ahead: 5 });
    assert.ok(created.length > 0, 'no other test needs months so far ahead');
  });

  it('leaves the latest tick when it drops a month, however old it is: metrics read it', async () => {
    await anArchivedEvent(database(), 15);
    await database().sql(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped)
       select 'schedule', at, at, 'nothing due' from generate_series(1, 2), (select now() - interval '16 months') as t (at)`,
    );
    await database().sql(`insert into dlq_runs (trigger, selected) values ('replay', 0)`);
    await dropExpired(database().db, { retainMonths: 12 }, Number.POSITIVE_INFINITY);
    const ticks = `select from dlq_runs where trigger = 'schedule'`;
    assert.equal((await database().sql(ticks)).length, 1);
  });
});
