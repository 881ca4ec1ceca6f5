import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { isUnavailable } from '../../shared/database/unavailable.ts';
import { ConflictError } from '../../shared/errors.ts';
import { LocalServiceError } from '../local-service-error.ts';
import type { Settings } from '../settings.ts';
import { quoteForShell } from '../terminal/quote-for-shell.ts';
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
  readonly pool: pg.Pool;
  /** Host, port and database, without user and password. */
  readonly name: string;
};

/**
 * Opens the database of DATABASE_URL, or else the embedded one, and applies all migrations. `fail` is called if the
 * embedded one ends. Throws a LocalServiceError.
 */
export async function openDatabase(
  { databaseUrl, dataFolder, isDemo }: Settings,
  resources: AsyncDisposableStack,
  fail: (error: unknown) => void,
): Promise<LocalDatabase> {
  const address = databaseUrl
    ? { url: databaseUrl, shellUrl: '$DATABASE_URL' }
    : await openEmbedded({ dataFolder, database: isDemo ? 'demo' : 'dlo' }, resources, fail);
  const name = describe(address.url);
  const pool = openPool(address.url);
  resources.defer(() => pool.end());
  await retryFor(waitMs, () => pool.query('select')).catch((cause: unknown) => {
    const reason = cause instanceof AggregateError ? cause.errors[0] : cause;
    const remedy = 'Start that database, correct DATABASE_URL, or unset it to use the embedded database.';
    throw new LocalServiceError(`The database ${name} is unavailable: ${String(reason)}.\n${remedy}`, {
      cause,
    });
  });
  if (!databaseUrl) await rejectEditedMigrations(pool);
  await retryFor(waitMs, () => migrate(address.url)).catch((cause: unknown) => {
    if (cause instanceof ConflictError) throw new LocalServiceError(cause.message, { cause });
    const problem = `The migrations could not be applied to ${name}: ${String(cause)}`;
    throw new LocalServiceError(problem, { cause });
  });
  if (!databaseUrl) await recordMigrations(pool);
  return { ...address, pool, name };
}

const settings = ['shared_buffers=64MB', 'max_connections=60', 'jit=off'];

/** The demo has a database of its own: without it, nothing of it is left. */
async function openEmbedded(
  { dataFolder, database }: { readonly dataFolder: string; readonly database: string },
  resources: AsyncDisposableStack,
  fail: (error: unknown) => void,
): Promise<DatabaseAddress> {
  const { url, stop, ended } = await startPostgres(dataFolder, settings, database);
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

/** A database that restarts is back within seconds. */
const waitMs = 5000;

/** Repeats work that fails because the database is unavailable, for `ms`. Throws the last failure, and any other at once. */
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

/** Serves the service's own queries, which must not wait long. */
function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'npm start',
    max: 2,
    connectionTimeoutMillis: 5000,
    query_timeout: 5000,
  });
  // The next query replaces a connection that was lost while idle.
  pool.on('error', () => {});
  return pool;
}

function describe(url: string): string {
  const address = URL.parse(url);
  return address ? `${address.host}${address.pathname}` : 'of DATABASE_URL';
}
