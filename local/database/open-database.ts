import pg from 'pg';
import { describeError } from '../../migrations/describe-error.ts';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase as openPool } from '../../shared/database/database.ts';
import { DatabaseUnavailableError, DeadLetterError } from '../../shared/errors.ts';
import { LocalServiceError } from '../installation.ts';
import type { Settings } from '../settings.ts';
import { findUrlFile } from './data-folder.ts';
import { recordMigrations, rejectEditedMigrations } from './migration-digests.ts';
import { startPostgres } from './start-postgres.ts';

export type LocalDatabase = Awaited<ReturnType<typeof openDatabase>>;

const timeouts = { statementMs: 5000, lockMs: 5000, connectMs: 5000 };

/** Opens DATABASE_URL, or the embedded database, whose end calls `fail`. Throws a LocalServiceError. */
export async function openDatabase(
  settings: Settings,
  resources: AsyncDisposableStack,
  fail: (error: unknown) => void,
) {
  const { databaseUrl } = settings;
  const address = databaseUrl
    ? { url: databaseUrl, shellUrl: '$DATABASE_URL', dataFolder: undefined }
    : await openEmbedded(settings, resources, fail);
  const { url } = address;
  const { host, pathname } = URL.parse(url) ?? { host: 'of DATABASE_URL', pathname: '' };
  // Without user and password.
  const name = `${host}${pathname}`;
  // For the service's own queries, which must not wait long.
  const db = openPool({ kind: 'url', url, poolMax: 2 }, 'npm start', timeouts);
  resources.defer(() => db.close());
  await db.query({ text: 'select' }).catch((cause: unknown) => {
    const remedy = 'Start that database, correct DATABASE_URL, or unset it to use the embedded database.';
    throw new LocalServiceError(`The database ${name} is unavailable: ${describeCause(cause)}.\n${remedy}`, {
      cause,
    });
  });
  if (!databaseUrl) await rejectEditedMigrations(db);
  await migrate(url).catch((cause: unknown) => {
    if (cause instanceof DeadLetterError) throw cause;
    const problem = `The migrations could not be applied to ${name}: ${describeError(cause)}. Use the login that owns it, or correct the cause.`;
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
) {
  const database = isDemo ? 'demo' : 'dlo';
  const { url, stop, ended } = await startPostgres(dataFolder, embeddedSettings, database);
  resources.defer(stop);
  ended.catch(fail);
  await createDatabase(url, database);
  // Keeps the password off the screen.
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

/** Returns what an operator must end, or else what the system says. */
function describeCause(error: unknown): string {
  return describeError(
    error instanceof DatabaseUnavailableError ? error : new DatabaseUnavailableError(error),
  );
}

/** Returns a word of a POSIX shell for a text, in single quotes if the shell would change it. */
function quoteForShell(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
