import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { prepareDatabase } from '../prepare-database.ts';
import { findExclusions, type Inspection } from './find-exclusions.ts';

/** The result of an adoption: nothing to do, the reasons against it, or the number of rows moved. */
export type Adoption =
  | { readonly kind: 'nothing to do'; readonly why: string }
  | { readonly kind: 'refused'; readonly exclusions: readonly string[] }
  | { readonly kind: 'adopted'; readonly events: number };

type MovedBatch = { readonly lastId: string | null; readonly events: number };

const batchSize = 2000;

/**
 * Replaces a `dlq_events` table as the articles describe it by the table of this product. The new table takes the name, rights and ids of
 * the old one in one short transaction, so that consumers keep inserting; its rows follow in batches of 2,000, each in a
 * transaction of its own. A killed adoption continues when it is started again. Calls `report` with the number of rows
 * moved so far. Throws the error of PostgreSQL.
 */
export async function adopt(databaseUrl: string, report: (events: number) => void): Promise<Adoption> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // One adoption at a time; the lock ends with the session.
    await client.query(`select pg_advisory_lock(hashtextextended('dlq_adopt', 0))`);
    const { rows } = await client.query<Inspection>(await readStatement('inspect-table'));
    const found = rows[0] as Inspection;
    if (!found.isBegun) {
      if (found.isOurs)
        return { kind: 'nothing to do', why: 'dlq_events already is a table of this product.' };
      if (!found.exists)
        return {
          kind: 'nothing to do',
          why: 'The database has no table dlq_events; npm run migrate creates it.',
        };
      const exclusions = await findExclusions(client, found);
      if (exclusions.length > 0) return { kind: 'refused', exclusions };
      await takeOver(client);
    }
    return { kind: 'adopted', events: await moveEvents(client, report) };
  } finally {
    await client.end();
  }
}

/** One transaction. Waits at most 5 s for locks: all other sessions would wait behind it. */
async function takeOver(client: pg.Client): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '5s'`);
    await client.query(await readStatement('set-aside'));
    await prepareDatabase(client);
    await applyMigrations(client);
    await client.query(await readStatement('hand-over'));
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/**
 * Applies every migration within the caller's transaction, and records them as node-pg-migrate does, which always opens a
 * transaction of its own. A test proves that it finds nothing to apply afterwards.
 */
async function applyMigrations(client: pg.Client): Promise<void> {
  const folder = path.resolve(import.meta.dirname, '..');
  const files = (await readdir(folder)).filter((name) => /^\d{3}_.*\.sql$/.test(name)).sort();
  await client.query(
    'create table dlq_migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)',
  );
  for (const file of files) {
    await client.query(await readFile(path.join(folder, file), 'utf8'));
    const record = 'insert into dlq_migrations (name, run_on) values ($1, now())';
    await client.query(record, [path.parse(file).name]);
  }
}

async function moveEvents(client: pg.Client, report: (events: number) => void): Promise<number> {
  const statement = await readStatement('move-events');
  let events = 0;
  let lastId: string | null = '-9223372036854775808';
  while (lastId !== null) {
    const { rows }: pg.QueryResult<MovedBatch> = await client.query(statement, [lastId, batchSize]);
    events += rows[0]?.events ?? 0;
    lastId = rows[0]?.lastId ?? null;
    if (lastId !== null) report(events);
  }
  await client.query('drop table dlq_events_adopted');
  return events;
}

function readStatement(name: string): Promise<string> {
  return readFile(new URL(`${name}.sql`, import.meta.url), 'utf8');
}
