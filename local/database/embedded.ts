import pg from 'pg';
import { LocalServiceError } from '../local-service-error.ts';
import { createCluster, superuser } from './cluster.ts';
import { findClusterPaths } from './cluster-paths.ts';
import { choosePort, ensurePassword, writeUrl } from './credentials.ts';
import { stopLeftover } from './leftover.ts';
import { startPostgres } from './start-postgres.ts';

/** Address of a database that accepts connections. */
export type DatabaseAddress = {
  readonly url: string;
  /** A shell expression for the URL, which keeps the password off the screen. */
  readonly shellUrl: string;
  /** Set for the embedded database. */
  readonly dataFolder?: string;
};

const database = 'dlo';
const settings = ['shared_buffers=64MB', 'max_connections=60', 'jit=off'];

/**
 * Starts the embedded PostgreSQL in a data folder, which this process has locked, and creates its database if necessary.
 * `fail` is called if PostgreSQL ends later. Throws a LocalServiceError.
 */
export async function openEmbedded(
  folder: string,
  resources: AsyncDisposableStack,
  fail: (error: unknown) => void,
): Promise<DatabaseAddress> {
  const paths = findClusterPaths(folder);
  const password = ensurePassword(folder);
  const port = await choosePort(folder);
  await stopLeftover(paths.data);
  await createCluster(paths, password);
  const postgres = await startPostgres(paths, port, settings);
  resources.defer(postgres.stop);
  postgres.ended.catch(fail);
  const server = `postgres://${superuser}:${password}@127.0.0.1:${port}`;
  await createDatabase(`${server}/postgres`);
  const url = `${server}/${database}`;
  return { url, shellUrl: `$(cat ${writeUrl(folder, url)})`, dataFolder: paths.data };
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const existing = await client.query('select from pg_database where datname = $1', [database]);
    if (existing.rowCount === 0) await client.query(`create database ${database}`);
  } catch (cause) {
    if (!(cause instanceof pg.DatabaseError) || cause.code !== '28P01') throw cause;
    const remedy = 'Restore the file "password" in the data folder, or move the data folder away.';
    throw new LocalServiceError(`The embedded database rejects the stored password. ${remedy}`, { cause });
  } finally {
    await client.end().catch(() => undefined);
  }
}
