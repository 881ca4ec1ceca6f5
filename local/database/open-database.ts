import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describeError } from '../../migrations/describe-error.ts';
import { migrate } from '../../migrations/migrate.ts';
import { type Database, openDatabase as openPool } from '../../shared/database/database.ts';
import { isUnavailable } from '../../shared/database/unavailable.ts';
import { DatabaseUnavailableError, DeadLetterError } from '../../shared/errors.ts';
import { LocalServiceError } from '../installation.ts';
import type { Settings } from '../settings.ts';
import { findUrlFile } from './data-folder.ts';
import { recordMigrations, rejectEditedMigrations } from './migration-digests.ts';
import { startPostgres } from './start-postgres.ts';

/** Address of a database that accepts connections. */
type DatabaseAddress = {
  readonly url: string;
  /** A shell expression for the URL, which keeps the password off the screen. */
  readonly shellUrl: string;
  /** Set for the embedded database. */
  readonly dataFolder?: string;
};

export type LocalDatabase = DatabaseAddress & {
  /** For the service's own queries, which must not wait long. */
  readonly db: Database;
  /** Host, port and database, without user and password. */
  readonly name: string;
};

/** A database that restarts is back within seconds. */
const waitMs = 5000;
const timeouts = { statementMs: 5000, lockMs: 5000, connectMs: 5000 };

/**
 * Opens the database of DATABASE_URL, or else the embedded one, and applies all migrations. `fail` is called
 * if the embedded one ends. Throws a LocalServiceError.
 */
export async function openDatabase(
  settings: Settings,
  resources: AsyncDisposableStack,
  fail: (error: unknown) => void,
): Promise<LocalDatabase> {
  const { databaseUrl } = settings;
  const address = databaseUrl
    ? { url: databaseUrl, shellUrl: '$DATABASE_URL' }
    : await openEmbedded(settings, resources, fail);
  const { url } = address;
  const { host, pathname } = URL.parse(url) ?? { host: 'of DATABASE_URL', pathname: '' };
  const name = `${host}${pathname}`;
  const db = openPool({ kind: 'url', url, poolMax: 2 }, 'npm start', timeouts);
  resources.defer(() => db.close());
  await retryFor(waitMs, () => db.query({ text: 'select' })).catch((cause: unknown) => {
    const remedy = 'Start that database, correct DATABASE_URL, or unset it to use the embedded database.';
    throw new LocalServiceError(`The database ${name} is unavailable: ${describe(cause)}.\n${remedy}`, {
      cause,
    });
  });
  if (!databaseUrl) await rejectEditedMigrations(db);
  await retryFor(waitMs, () => migrate(url)).catch((cause: unknown) => {
    if (cause instanceof DeadLetterError) throw cause;
    const problem = `The migrations could not be applied to ${name}: ${describe(cause)}`;
    throw new LocalServiceError(problem, { cause });
  });
  if (!databaseUrl) await recordMigrations(db);
  return { ...address, db, name };
}

const embeddedSettings = ['shared_buffers=64MB', 'max_connections=60', 'jit=off'];

/** The demo has a database of its own: nothing of it is left in the other one. */
async function openEmbedded(
  { dataFolder, isDemo }: Settings,
  resources: AsyncDisposableStack,
  fail: (error: unknown) => void,
): Promise<DatabaseAddress> {
  const database = isDemo ? 'demo' : 'dlo';
  const { url, stop, ended } = await startPostgres(dataFolder, embeddedSettings, database);
  resources.defer(stop);
  ended.catch(fail);
  await createDatabase(url, database);
  return { url, shellUrl: `$(cat ${quoteForShell(findUrlFile(dataFolder))})`, dataFolder };
}

async function createDatabase(url: string, database: string): Promise<void> {
  const client = new pg.Client(Object.assign(new URL(url), { pathname: 'postgres' }).href);
  await client.connect();
  try {
    await client.query(`create database ${database}`);
  } catch (error) {
    const isCreated = error instanceof pg.DatabaseError && error.code === '42P04';
    if (!isCreated) throw error;
  } finally {
    await client.end();
  }
}

/** Repeats work for `ms` while the database is unavailable. Throws the last failure, others at once. */
async function retryFor<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const endsAt = Date.now() + ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || Date.now() >= endsAt) throw error;
      await delay(200);
    }
  }
}

/** Returns what an operator must end, or else what the system says. */
function describe(error: unknown): string {
  const { condition, cause } =
    error instanceof DatabaseUnavailableError ? error : new DatabaseUnavailableError(error);
  return condition ?? describeError(cause);
}

/** Returns a word of a POSIX shell for a text, in single quotes if the shell would change it. */
function quoteForShell(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
