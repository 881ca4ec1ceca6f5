import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { articlesTable, hotdryTable, japaneseTable, ownTable } from '../support/adopted-tables.ts';
import { createEmptyDatabase, dropDatabase, runOnServer } from '../support/database.ts';
import { pickVariant } from '../support/sample.ts';
import { runGoingBack, runSqlFile } from '../support/sql-file.ts';
import { startWriters, type Writers } from '../support/writers.ts';

const rows = 2500;

for (const table of pickVariant('adopted table', [articlesTable, hotdryTable, japaneseTable, ownTable])) {
  const file = `docs/adopt/${table.file}`;

  describe(`${file}, run while writers never stop,`, () => {
    const writer = `dlo_test_writer_${randomBytes(4).toString('hex')}`;
    let url = '';
    let client: pg.Client;
    let writers: Writers;
    const sql = async <Row = Record<string, unknown>>(text: string) =>
      (await client.query<Row & pg.QueryResultRow>(text)).rows;
    /**
     * Compares the keys of messages that are found with those that were acknowledged; short, as thousands may
     * differ.
     */
    const compareKeys = async (payload: string, from: string, acknowledged: readonly string[]) => {
      const rows = await sql<{ key: string }>(
        `select ${payload} ->> 'key' as key from ${from} where ${payload} ? 'key'`,
      );
      const found = new Set(rows.map(({ key }) => key));
      return {
        missing: acknowledged.filter((key) => !found.has(key)).slice(0, 5),
        twice: rows.length - found.size,
        others: found.size - new Set(acknowledged).size,
      };
    };
    const exactly = { missing: [], twice: 0, others: 0 };

    before(async () => {
      url = await createEmptyDatabase();
      client = new pg.Client({ connectionString: url });
      await client.connect();
      await sql(`${table.ddl}; ${table.fill} from generate_series(1, ${rows}) n`);
      await sql(`create role ${writer}; grant insert, select on ${table.name} to ${writer};
        grant usage on ${table.name}_id_seq to ${writer}`);
      if (table.name !== 'dlq_events') await migrate(url);
      writers = await startWriters(url, table.insert, writer);
      await adopt().finally(writers.stop);
    });
    const adopt = async () => {
      await runSqlFile(url, file);
      await writers.goOn();
      if (table.name !== 'dlq_events') return;
      await migrate(url);
      await writers.goOn();
      await runSqlFile(url, file);
    };
    after(async () => {
      await client.end();
      await dropDatabase(url);
      await runOnServer(`drop role ${writer}`);
    });

    it('fails no insert, and makes each that was acknowledged one event', async () => {
      assert.deepEqual(writers.errors, []);
      assert.deepEqual(await compareKeys('payload', 'dlq_events', writers.acknowledged), exactly);
    });

    it('makes each row one event, with its facts', async () => {
      const [copies] = await sql(`select count(*)::int as events from dlq_events where payload ? 'n'`);
      assert.deepEqual(copies, { events: rows });
      assert.deepEqual(await sql(table.copied.query), [table.copied.event]);
    });

    it('shows its readers all rows under the old name', async () => {
      const [shown] = await sql(`select count(*)::int as rows from ${table.name}`);
      assert.deepEqual(shown, { rows: rows + writers.acknowledged.length });
    });

    it('changes nothing when it is run again, also after events were archived, and says that the counts agree', async () => {
      await sql(`with archived as (delete from dlq_events where status = 'SUCCEEDED' returning *)
        insert into dlq_events_archive select * from archived`);
      const snapshot = () =>
        sql(`select
        (select md5(string_agg(dlq_events::text, '' order by id)) from dlq_events) as rows,
        (select md5(string_agg(relname || relkind::text, '' order by oid)) from pg_class) as relations`);
      const earlier = await snapshot();
      const [{ old } = {}] = await sql(`select count(*) as old from adopted_${table.name}`);
      assert.deepEqual(await runSqlFile(url, file), [
        `${old} of ${old} rows of adopted_${table.name} are events.`,
      ]);
      assert.deepEqual(await snapshot(), earlier);
    });

    it('can be undone without failing or losing an insert', async () => {
      const later = await startWriters(url, table.insert, writer, 'later');
      await runGoingBack(url, file).then(later.goOn).finally(later.stop);
      assert.deepEqual(later.errors, []);
      const expected = [...writers.acknowledged, ...later.acknowledged];
      assert.deepEqual(await compareKeys(table.payload, table.name, expected), exactly);
      const [{ old } = {}] = await sql(`select count(*)::int as old from ${table.name}`);
      assert.equal(old, rows + expected.length);
    });
  });
}
