import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { aggregateCounts } from '../../shared/counts/aggregate-counts.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';

describe('a publication of all tables', () => {
  const database = useDatabase();
  before(async () => {
    await database().sql('select dlq_create_archive_partitions(1)');
    await database().sql('create publication everything for all tables');
  });

  it('finds the rows of each table and partition by a key or a replica identity', async () => {
    const tables = await database().sql<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and relreplident <> 'f' and not exists (select from pg_index where indrelid = pg_class.oid and indisprimary)`,
    );
    assert.deepEqual(tables, []);
  });

  it('keeps no row of a table or a partition from being changed or deleted', async () => {
    const tables = await database().sql<{ name: string; column: string }>(
      `select relname as name, attname as column from pg_class
       join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
         and attidentity <> 'a'
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    assert.ok(tables.some(({ name }) => /^dlq_events_archive_\d{4}_\d{2}$/.test(name)));
    for (const { name, column } of new Map(tables.map((table) => [table.name, table])).values()) {
      await database().sql(`update ${name} set "${column}" = "${column}" where false`);
      await database().sql(`delete from ${name} where false`);
    }
  });

  it('does not keep counts from being aggregated', async () => {
    await anEvent(database());
    assert.equal(await aggregateCounts(database().db), 1);
    await anEvent(database());
    assert.equal(await aggregateCounts(database().db), 1);
  });
});
