import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCluster, superuser } from '../../local/database/cluster.ts';
import { findClusterPaths } from '../../local/database/cluster-paths.ts';
import { type Postgres, startPostgres } from '../../local/database/start-postgres.ts';
import { migrate } from '../../migrations/migrate.ts';
import { createEmptyDatabase, dropDatabase } from './database.ts';
import { findFreePort } from './free-port.ts';

const password = 'only-for-tests';

let postgres: Postgres | undefined;
let folder: string | undefined;
let template: string | undefined;

/**
 * Starts one PostgreSQL for the whole run, in which each suite creates its own databases, as copies of DLO_TEST_TEMPLATE;
 * DATABASE_URL replaces it. Returns the folder of all temporary files, DLO_TEST_FOLDER, which is there until the end.
 */
export async function globalSetup(): Promise<string> {
  // Several processes load the same code.
  process.env.NODE_COMPILE_CACHE ??= path.resolve(import.meta.dirname, '../../node_modules/.cache/node');
  folder = await mkdtemp(path.join(tmpdir(), 'dlo-test-'));
  // PostgreSQL does not run as root; its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  process.env.DLO_TEST_FOLDER = folder;
  process.env.TMPDIR = folder;
  if (!process.env.DATABASE_URL) process.env.DATABASE_URL = await startServer(folder);
  template = await createEmptyDatabase();
  await migrate(template);
  process.env.DLO_TEST_TEMPLATE = new URL(template).pathname.slice(1);
  return folder;
}

async function startServer(folder: string): Promise<string> {
  const paths = findClusterPaths(folder);
  const port = await findFreePort();
  await createCluster(paths, password);
  // A crash of the machine is PostgreSQL's own test; without fsync and images of pages the suites run faster.
  postgres = await startPostgres(paths, port, [
    'fsync=off',
    'full_page_writes=off',
    'max_connections=200',
    'max_prepared_transactions=2',
  ]);
  postgres.keeper.unref();
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`;
}

export async function globalTeardown(): Promise<void> {
  if (template) await dropDatabase(template);
  // Referenced again, or the process would end first and leave the folder behind.
  postgres?.keeper.ref();
  await postgres?.stop();
  // A process that ends may still write a file: a teardown that throws is begun again, without end.
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
