import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { readSql } from '../../shared/read-sql.ts';
import { parseStatement } from '../../shared/sql.ts';
import { compareDays, compareHours } from '../support/counts.ts';
import { useEmptyDatabases } from '../support/database.ts';
import { useMigrationsCopies } from '../support/migrations-copies.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('an office from before there were sums by time', () => {
  const anEmptyDatabase = useEmptyDatabases();
  const copyMigrations = useMigrationsCopies();
  const fold = parseStatement(readSql('fold-counts')).text;
  const anOffice = async () => {
    const url = await anEmptyDatabase();
    const folder = await copyMigrations();
    const later = (await readdir(folder)).filter((file) => /^\d{3}_/.test(file) && file >= '013');
    for (const file of later) await rm(path.join(folder, file));
    await migrate(url, folder);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return { url, client };
  };
  const capture = (client: pg.Client) =>
    client.query(
      `insert into dlq_events (event_type, payload, created_at, fingerprint)
       select 'order.' || n % 3, '{}', now() - n * interval '5 hours', 'v1:' || n % 7 from generate_series(1, 100) n`,
    );
  const isAwaited = async (client: pg.Client) => {
    const waiting = `select from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and not granted`;
    return (await client.query(waiting)).rowCount === 1;
  };
  const assertExact = async (client: pg.Client) => {
    const sql = async (text: string) => (await client.query(text)).rows;
    for (const compare of [compareHours, compareDays]) {
      const { told, found } = await compare({ sql } as Parameters<typeof compare>[0]);
      assert.ok(found.length > 10);
      assert.deepEqual(told, found);
    }
  };

  it('has them exact when it is brought up to date', async () => {
    const { url, client } = await anOffice();
    await capture(client);
    await client.query(fold, [1000]);
    await capture(client);
    await migrate(url);
    await client.query(fold, [1000]);

    await assertExact(client);
    await client.end();
  });

  it('has them exact where somebody folds at that very moment', async () => {
    const { url, client } = await anOffice();
    await capture(client);
    await client.query('begin');
    await client.query(fold, [1000]);
    const migrating = migrate(url);
    await waitUntil('the migration waits for the fold', () => isAwaited(client));
    await client.query('commit');
    await migrating;

    await assertExact(client);
    await client.end();
  });
});
