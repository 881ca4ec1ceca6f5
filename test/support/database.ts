import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import pg from 'pg';
import { type Database, openDatabase } from '../../shared/database/database.ts';
import { functionSettings, sessionSettings, toOptions } from '../../shared/database/session-settings.ts';
import { clearTables, emptyDatabase, readCatalog } from './empty-database.ts';
import { lend } from './lend.ts';

export type TestDatabase = {
  readonly db: Database;
  readonly url: string;
  /** The database of a function, with the rights of its group role. */
  as(role: string): Database;
  /**
   * Plain SQL with $1 parameters, as the owner of everything, in sessions that are not those of the product.
   */
  sql<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Deletes the rows of some tables, or of all, as if they had never been there: no trigger fires. */
  clear(...tables: string[]): Promise<void>;
  close(): Promise<void>;
};

/**
 * Lends a migrated, empty database to a suite. The next suite gets it again, emptied, unless this one changes
 * its schema, its rights or its settings.
 */
export const useDatabase = lend<TestDatabase & { catalog: string }>({
  make: async () => {
    const database = await createDatabase();
    return { ...database, catalog: await readCatalog(database.sql) };
  },
  restore: async (database) => {
    if ((await readCatalog(database.sql)) !== database.catalog) return false;
    await emptyDatabase(database.sql);
    return true;
  },
  // It is dropped with all others of the run: each drop waits for a checkpoint.
  close: ({ close }) => close(),
});

/** Creates empty databases, or copies of a template, on request, and drops them after the suite. */
export function useEmptyDatabases(): (template?: string) => Promise<string> {
  const urls: string[] = [];
  after(async () => {
    for (const url of urls) await dropDatabase(url);
  });
  return async (template) => {
    const url = await createEmptyDatabase(template);
    urls.push(url);
    return url;
  };
}

export async function createDatabase(): Promise<TestDatabase> {
  const url = await createEmptyDatabase(process.env.DLO_TEST_TEMPLATE);
  const db = openDatabase({ kind: 'url', url, poolMax: 8 }, 'test');
  // A test that has its own timers would take an idle connection, but not stop its timer, which ends it later.
  const pool = openPool({ connectionString: url, max: 8, application_name: 'test', idleTimeoutMillis: 0 });
  const sql = async <Row>(text: string, values: unknown[] = []) =>
    (await pool.query<Row & pg.QueryResultRow>(text, values)).rows;
  const opened = new Map([['owner', db]]);
  const as = (role: string) => {
    const settings = toOptions({ ...sessionSettings, ...functionSettings, role });
    const own = `${url}?options=${encodeURIComponent(settings)}`;
    const found = opened.get(role) ?? openDatabase({ kind: 'url', url: own, poolMax: 8 }, 'test');
    opened.set(role, found);
    return found;
  };
  const close = async () => {
    await Promise.all([...[...opened.values()].map((each) => each.close()), pool.end()]);
  };
  return { db, url, as, sql, clear: (...tables) => clearTables(sql, tables), close };
}

/** A pool for tests, which cut connections; the end of a suite may find one that is still closing. */
export function openPool(settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(settings);
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Creates a database, as a copy of the one called `template`, if any. Returns its URL. */
export async function createEmptyDatabase(template = 'template1'): Promise<string> {
  const url = new URL(serverUrl());
  url.pathname = `/${namePrefix()}${randomBytes(6).toString('hex')}`;
  const name = url.pathname.slice(1);
  // A copy has the schema of its template, but not the rights on the database itself, which
  // prepare-database.sql revokes.
  const rights = template === 'template1' ? [] : [`revoke temporary on database ${name} from public`];
  await runOnServer(`create database ${name} template ${template}`, ...rights);
  return url.href;
}

/**
 * Databases of a run are known by their names: it drops them at its end, also those of a process that was
 * killed.
 */
function namePrefix(): string {
  return `dlo_test_${process.env.DLO_TEST_RUN ?? 'alone'}_`;
}

/** Drops all databases of this run. */
export async function dropDatabases(): Promise<void> {
  const rows = await runOnServer(
    `select datname from pg_database where starts_with(datname, '${namePrefix()}')`,
  );
  for (const { datname } of rows) await runOnServer(`drop database ${datname} with (force)`);
}

export async function dropDatabase(url: string): Promise<void> {
  await runOnServer(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
}

function serverUrl(): string {
  const url = process.env.DATABASE_URL;
  if (!url) throw new Error('Run the tests with npm test, or set DATABASE_URL.');
  return url;
}

let server: pg.Pool | undefined;

/** Each statement is a transaction of its own. Returns the rows of the last one. */
export async function runOnServer(...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  server ??= openServer();
  let rows: Record<string, unknown>[] = [];
  for (const sql of statements) ({ rows } = await server.query(sql));
  return rows;
}

/** One session serves all suites of a process, which ends without waiting for it. */
function openServer(): pg.Pool {
  const settings = { connectionString: serverUrl(), application_name: 'test', allowExitOnIdle: true };
  return openPool({ ...settings, max: 1, idleTimeoutMillis: 0 });
}
