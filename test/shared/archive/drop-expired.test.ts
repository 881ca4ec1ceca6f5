import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createArchivePartitions } from '../../../shared/archive/archive-closed.ts';
import {
  dropArchiveMonth,
  dropExpired,
  listArchivePartitions,
} from '../../../shared/archive/drop-expired.ts';
import { openBucket } from '../../../shared/archive/export-store.ts';
import { ExportDamagedError } from '../../../shared/errors.ts';
import { anArchivedEvent } from '../../support/archived-event.ts';
import { useDatabase } from '../../support/database.ts';
import { readLog } from '../../support/log-lines.ts';
import { listExports, useStorage } from '../../support/storage.ts';

describe('an expired month of the archive', () => {
  const database = useDatabase();
  const storage = useStorage();
  const drop = (more: { export?: boolean; months?: number; fileBytes?: number; endsAt?: number } = {}) => {
    const openStore = more.export ? () => openBucket('bucket') : undefined;
    const { months: retainMonths = 12, fileBytes = 2 ** 20, endsAt = Number.POSITIVE_INFINITY } = more;
    return dropExpired(database().db, { retainMonths, openStore, fileBytes }, endsAt);
  };
  const count = async (table: string) =>
    (await database().sql<{ rows: number }>(`select count(*)::int as rows from ${table}`))[0]?.rows;

  const archived = (monthsAgo: number) => anArchivedEvent(database(), monthsAgo);

  beforeEach(async () => {
    await database().clear();
    storage().files.clear();
    storage().damage = (content) => content;
  });

  it('is dropped with its attempts, and younger months are kept', async () => {
    await archived(15);
    await archived(2);
    const [month = ''] = await drop();
    assert.match(month, /^\d{4}-\d{2}-01$/);
    assert.equal(await count('dlq_events_archive'), 1);
    assert.equal(await count('dlq_attempts'), 1);
    assert.deepEqual(await drop(), []);
  });

  it('is dropped however old it is', async () => {
    await archived(70);
    await createArchivePartitions(database().db, { ahead: 0 });
    await drop();
    assert.equal(await count('dlq_events_archive'), 0);
  });

  it('is kept if RETAIN_MONTHS is 0', async () => {
    await archived(15);
    assert.deepEqual(await drop({ months: 0 }), []);
    assert.equal(await count('dlq_events_archive'), 1);
  });

  it('is first exported to Cloud Storage, one line per event with its attempts, and a manifest', async () => {
    const id = await archived(15);
    const [month = ''] = await drop({ export: true });
    const [exported] = listExports(storage());
    assert.match(
      exported?.manifest.files[0].file,
      new RegExp(`^dlq_events_archive_${month.slice(0, 7)}_\\d{8}T\\d{9}Z.ndjson.gz$`),
    );
    const { event, attempts } = JSON.parse(exported?.lines ?? '');
    assert.deepEqual([event.id, event.payload, attempts.length], [Number(id), { orderId: 1 }, 1]);
    const { events, bytes } = exported?.manifest ?? {};
    assert.deepEqual([events, bytes], [1, Buffer.byteLength(exported?.lines ?? '')]);
    assert.equal(await count('dlq_events_archive'), 0);
  });

  it('is exported in files, and goes on after the last one if its job ended early', async () => {
    const ids = [await archived(15), await archived(15), await archived(15)];
    // The second file is written, and its job ends before the file has been compared.
    storage().damage = (content) => (storage().files.size === 2 ? gzipSync('') : content);
    await assert.rejects(drop({ export: true, fileBytes: 1 }), ExportDamagedError);
    storage().damage = (content) => content;
    const [first] = storage().files.keys();
    assert.deepEqual(await drop({ export: true, fileBytes: 1, endsAt: Date.now() }), []);
    assert.equal(await count('dlq_events_archive'), 3);

    await drop({ export: true, fileBytes: 1 });
    const [exported] = listExports(storage());
    const exportedIds = exported?.lines
      .trimEnd()
      .split('\n')
      .map((line: string) => String(JSON.parse(line).event.id));
    assert.deepEqual(exportedIds, ids);
    assert.equal(exported?.manifest.files[0].file, first);
    assert.equal(storage().files.size, 5, 'three files, one that was not read back, and the manifest');
    assert.equal(await count('dlq_events_archive'), 0);
  });

  it('takes with it what belongs to its events, and to replays and ticks of its time', async () => {
    const { sql } = database();
    const id = await archived(15);
    const runs = await sql<{ id: string }>(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped, selected, delivered)
       values ('replay', now() - interval '15 months', now() - interval '15 months', 'all done', 1, 1),
         ('replay', now(), now(), 'all done', 1, 1),
         ('schedule', now() - interval '15 months', now() - interval '15 months', 'nothing due', null, 0),
         ('schedule', now(), now(), 'nothing due', null, 0)
       returning id`,
    );
    for (const { id: runId } of runs.slice(0, 2)) {
      await sql(
        `insert into dlq_run_events (run_id, event_id, position, failure_count, status, outcome, settled_at)
         values ($1, $2, 1, 1, 'SUCCEEDED', 'delivered', now())`,
        [runId, id],
      );
    }
    await sql(`insert into dlq_audit_events (event_id, audit_id) values ($1, 1), (0, 1)`, [id]);
    await sql(`insert into dlq_captures (event_id, failure, facts) values ($1, 1, '{}'), (0, 1, '{}')`, [id]);
    await drop();

    assert.equal(await count('dlq_run_events'), 1);
    const left = 'select event_id from dlq_audit_events union all select event_id from dlq_captures';
    assert.deepEqual(await sql(left), Array(2).fill({ event_id: '0' }));
    assert.deepEqual(await sql('select trigger from dlq_runs order by id'), [
      { trigger: 'replay' },
      { trigger: 'replay' },
      { trigger: 'schedule' },
    ]);
  });

  it('takes with it the rows of each table that belong to an event', async () => {
    const [retention] = await database().sql<{ text: string }>(
      `select pg_get_functiondef('dlq_drop_archive_month'::regproc) as text`,
    );
    const tables = await database().sql<{ name: string }>(
      `select table_name as name from information_schema.columns
       join information_schema.tables using (table_schema, table_name)
       where table_schema = 'public' and column_name in ('event_id', 'run_id') and table_type = 'BASE TABLE'
         and table_name !~ '^dlq_events' and table_name not in ('dlq_audit', 'dlq_leases', 'dlq_run_workers')`,
    );
    assert.deepEqual(
      tables.filter(({ name }) => !new RegExp(`delete from public\\.${name}\\s`).test(retention?.text ?? '')),
      [],
    );
    assert.ok(tables.length >= 4);
  });

  for (const [what, events, change] of [
    ['an event is archived into it', 2, 'insert into dlq_events_archive select * from dlq_events_archive'],
    [
      'one is restored and another archived',
      1,
      `with restored as (delete from dlq_events_archive returning dlq_events_archive as event)
       insert into dlq_events_archive
       select other.* from restored cross join lateral jsonb_populate_record(event, '{"id": 0}') as other`,
    ],
    ['one is restored and archived again', 1, 'update dlq_events_archive set reopened_at = now()'],
  ] as const) {
    it(`is kept with its attempts if ${what} during its export`, async () => {
      await archived(15);
      let late: Promise<unknown> | undefined;
      storage().damage = async (content) => {
        late ??= database().sql(change);
        await late;
        return content;
      };
      await drop({ export: true });
      assert.deepEqual([await count('dlq_events_archive'), await count('dlq_attempts')], [events, 1]);
    });
  }

  it('is not exported if it is empty, and never over an earlier export', async () => {
    await archived(15);
    await drop({ export: true });
    await database().sql(
      `insert into dlq_events (event_type, payload, created_at) values ('a', '{}', now() - interval '15 months')`,
    );
    await createArchivePartitions(database().db, { ahead: 0 });
    const [month] = await drop({ export: true });
    assert.deepEqual(
      listExports(storage()).map(({ manifest }) => [manifest.month, manifest.events]),
      [[month, 1]],
    );
  });

  it('is deleted by the next call after one was killed between detaching and deleting it', async () => {
    await archived(15);
    const [{ month = '' } = {}] = await listArchivePartitions(database().db, { retainMonths: 0 });
    await dropArchiveMonth(database().db, { month, exported: null, afterId: '0', limit: 1 });
    assert.equal(await count('dlq_attempts'), 1);
    await drop();
    assert.equal(await count('dlq_attempts'), 0);
    assert.deepEqual(
      await database().sql(`select from pg_class where relname like 'dlq_events_dropped%'`),
      [],
    );
  });

  it('is kept and named while a view of a team reads it, and holds up no other month', async () => {
    const { db, sql } = database();
    await archived(16);
    await archived(15);
    const [{ month = '' } = {}] = await listArchivePartitions(db, { retainMonths: 0 });
    const partition = `dlq_events_archive_${month.slice(0, 7).replace('-', '_')}`;
    await sql(`create view team_month as select id from ${partition}`);
    const lines = await readLog(() => drop({ export: true }));
    assert.match(`${lines[0]?.message}`, /^kept the archive of .*: it is used by .* view team_month$/);
    assert.deepEqual(
      listExports(storage()).map(({ manifest }) => manifest.month === month),
      [false],
    );
    assert.deepEqual([await count('dlq_attempts'), await count('team_month')], [1, 1]);
    await sql('drop view team_month');
    assert.deepEqual(await drop(), [month]);
  });

  it('is kept if its export reads back different', async () => {
    await archived(15);
    storage().damage = () => gzipSync('');
    await assert.rejects(drop({ export: true }), ExportDamagedError);
    assert.equal(await count('dlq_events_archive'), 1);
  });

  it('is kept while Cloud Storage is unreachable', async () => {
    await archived(15);
    const host = process.env.STORAGE_EMULATOR_HOST;
    process.env.STORAGE_EMULATOR_HOST = 'http://127.0.0.1:9';
    await assert.rejects(drop({ export: true }));
    process.env.STORAGE_EMULATOR_HOST = host;
    assert.equal(await count('dlq_events_archive'), 1);
  });
});
