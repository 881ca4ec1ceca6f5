import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { archiveClosed, createArchivePartitions } from '../../../shared/archive/archive-closed.ts';
import { showEvents } from '../../../shared/events/list-events.ts';
import { readEvent } from '../../../shared/events/read-event.ts';
import { archiveTerms as age, closedLongAgo as closed } from '../../support/archived-event.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the archive job', () => {
  const database = useDatabase();
  const archive = (endsAt = Number.POSITIVE_INFINITY, undecided = 0) =>
    archiveClosed(database().db, { ...age, archiveUndecidedAfterDays: undecided }, endsAt);
  const list = async (table: string) =>
    (await database().sql<{ id: string }>(`select id from ${table} order by id`)).map(({ id }) => id);

  beforeEach(() => database().clear());

  it('leaves the months to a partition that a team attached', async () => {
    const { db, sql } = database();
    await sql(
      `create table own partition of dlq_events_archive for values from ('2025-10-01') to ('2025-12-01')`,
    );
    const at = '2025-10-05T00:00:00Z';
    const times = { created_at: at, first_failure_at: at, last_failure_at: at, processed_at: at };
    const id = await anEvent(database(), { ...closed, ...times });
    const created = await createArchivePartitions(db, { ahead: 0 });
    assert.ok(created.length > 0 && created.every(({ name }) => name > 'dlq_events_archive_2025_11'));
    await archive();
    assert.deepEqual(await list('own'), [id]);
    await sql('drop table own');
  });

  it('moves the values of columns that a team added, also the text of JSON, and restores them', async () => {
    const { db, sql } = database();
    await sql('alter table dlq_events add column team numeric(5, 2), add column said json');
    const values = { team: '1.50', said: '{"b": 1e2,  "a": 1, "a": 2}' };
    const id = await anEvent(database(), { ...closed, ...values });
    const read = (table: string) => sql(`select team, said::text from ${table}`);
    await createArchivePartitions(db, { ahead: 0 });
    assert.equal(await archive(), 1);
    assert.deepEqual(await read('dlq_events_archive'), [values]);
    await sql('select dlq_restore_events($1)', [[id]]);
    assert.deepEqual(await read('dlq_events'), [values]);
    for (const table of ['dlq_events', 'dlq_events_archive'])
      await sql(`alter table ${table} drop column team, drop column said`);
  });

  it('matches the columns of a team by name, also in a restore: they may differ from those of the archive', async () => {
    const { db, sql } = database();
    await sql('alter table dlq_events add column squad text, add column team text');
    const id = await anEvent(database(), { ...closed, squad: 'a', team: 'b' });
    const show = async () => {
      const shown = await showEvents(db, { ids: [id], maxBytes: 1000, maxTotal: 1000 });
      return [(await readEvent(db, id)).isArchived, shown[0]?.json !== null];
    };
    assert.deepEqual(await show(), [false, true], 'before the archive has them');
    assert.equal(await archive(), 0, 'it would lose them');
    await createArchivePartitions(db, { ahead: 0 });
    await sql('alter table dlq_events drop column squad');
    await createArchivePartitions(db, { ahead: 0 });
    assert.equal(await archive(), 1);
    assert.deepEqual(await sql('select squad, team from dlq_events_archive'), [{ squad: null, team: 'b' }]);
    assert.deepEqual(await show(), [true, true]);
    await sql('select dlq_restore_events($1)', [[id]]);
    assert.deepEqual(await sql('select team from dlq_events'), [{ team: 'b' }]);
    await sql('alter table dlq_events drop column team');
    await sql('alter table dlq_events_archive drop column team, drop column squad');
  });
});
