import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  createArchivePartitions,
  dropArchivePartition,
  listArchivePartitions,
} from '../../../shared/archive/archive.ts';
import { dropExpired } from '../../../shared/archive/drop-expired.ts';
import { openBucket } from '../../../shared/archive/export-store.ts';
import { ExportDamagedError } from '../../../shared/errors.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useStorage } from '../../support/storage.ts';

describe('an expired month of the archive', () => {
  const database = useDatabase();
  const storage = useStorage();
  const drop = (more: { export?: boolean; months?: number } = {}) => {
    const openStore = more.export ? () => openBucket('bucket') : undefined;
    return dropExpired(
      database().db,
      { retainMonths: more.months ?? 12, openStore },
      Number.POSITIVE_INFINITY,
    );
  };
  const count = async (table: string) =>
    (await database().sql<{ rows: number }>(`select count(*)::int as rows from ${table}`))[0]?.rows;

  /** An archived event of a month, with an attempt. */
  const archived = async (monthsAgo: number) => {
    const { sql } = database();
    const id = await anEvent(database(), { status: 'SUCCEEDED' });
    await sql(
      `update dlq_events set created_at = now() - make_interval(months => $2), first_failure_at = '2020-01-01' where id = $1`,
      [id, monthsAgo],
    );
    await sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
       values ($1, 1, 'delivered', 't', now(), 5)`,
      [id],
    );
    await createArchivePartitions(database().db, { ahead: 0 });
    await sql(
      `with moved as (delete from dlq_events returning *) insert into dlq_events_archive select * from moved`,
    );
    return id;
  };

  /** Lists the exports in Cloud Storage by their manifests. */
  const listExports = () => {
    const { files } = storage();
    const manifests = [...files]
      .filter(([name]) => name.endsWith('.json'))
      .map(([, content]) => JSON.parse(`${content}`));
    return manifests.map((manifest) => ({
      manifest,
      lines: gunzipSync(files.get(manifest.file) ?? Buffer.alloc(0)).toString(),
    }));
  };

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

  it('is kept if RETAIN_MONTHS is 0', async () => {
    await archived(15);
    assert.deepEqual(await drop({ months: 0 }), []);
    assert.equal(await count('dlq_events_archive'), 1);
  });

  it('is first exported to Cloud Storage, one line per event with its attempts, and a manifest', async () => {
    const id = await archived(15);
    const [month = ''] = await drop({ export: true });
    const [exported] = listExports();
    assert.match(
      exported?.manifest.file,
      new RegExp(`^dlq_events_archive_${month.slice(0, 7)}_\\d{8}T\\d{6}Z.ndjson.gz$`),
    );
    const { event, attempts } = JSON.parse(exported?.lines ?? '');
    assert.deepEqual([event.id, event.payload, attempts.length], [Number(id), { orderId: 1 }, 1]);
    const { events, bytes } = exported?.manifest ?? {};
    assert.deepEqual([events, bytes], [1, Buffer.byteLength(exported?.lines ?? '')]);
    assert.equal(await count('dlq_events_archive'), 0);
  });

  it('is kept with its attempts if an event is archived into it during its export', async () => {
    await archived(15);
    const { sql } = database();
    let late: Promise<unknown> | undefined;
    storage().damage = async (content) => {
      late ??= sql(`insert into dlq_events_archive select * from dlq_events_archive`);
      await late;
      return content;
    };
    await drop({ export: true });
    assert.deepEqual([await count('dlq_events_archive'), await count('dlq_attempts')], [2, 1]);
  });

  it('is not exported if it is empty, and never over an earlier export', async () => {
    await archived(15);
    await drop({ export: true });
    await database().sql(
      `insert into dlq_events (event_type, payload, created_at) values ('a', '{}', now() - interval '15 months')`,
    );
    await createArchivePartitions(database().db, { ahead: 0 });
    const [month] = await drop({ export: true });
    assert.deepEqual(
      listExports().map(({ manifest }) => [manifest.month, manifest.events]),
      [[month, 1]],
    );
  });

  it('is deleted by the next call after one was killed between detaching and deleting it', async () => {
    await archived(15);
    const [{ month = '' } = {}] = await listArchivePartitions(database().db, { before: new Date() });
    await dropArchivePartition(database().db, { month, events: null });
    assert.equal(await count('dlq_attempts'), 1);
    await drop();
    assert.equal(await count('dlq_attempts'), 0);
    assert.deepEqual(
      await database().sql(`select from pg_class where relname like 'dlq_events_dropped%'`),
      [],
    );
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
