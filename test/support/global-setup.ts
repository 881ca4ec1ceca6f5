import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Postgres, startPostgres } from '../../local/database/start-postgres.ts';
import { migrate } from '../../migrations/migrate.ts';
import { createEmptyDatabase, dropDatabase } from './database.ts';

let postgres: Postgres | undefined;
let folder: string | undefined;
let template: string | undefined;

/**
 * Starts one PostgreSQL for the whole run, in which each suite creates its own databases, as copies of DLO_TEST_TEMPLATE;
 * DATABASE_URL replaces it. Also creates the folder that suites share, DLO_TEST_FOLDER, until the end of the run.
 */
export async function globalSetup(): Promise<void> {
  // Each test file runs in its own process, and most of them load the same code.
  process.env.NODE_COMPILE_CACHE ??= path.resolve(import.meta.dirname, '../../node_modules/.cache/node');
  folder = await mkdtemp(path.join(tmpdir(), 'dlo-test-'));
  process.env.DLO_TEST_FOLDER = folder;
  if (!process.env.DATABASE_URL) process.env.DATABASE_URL = await startServer(folder);
  template = await createEmptyDatabase();
  await migrate(template);
  process.env.DLO_TEST_TEMPLATE = new URL(template).pathname.slice(1);
}

async function startServer(folder: string): Promise<string> {
  // PostgreSQL does not run as root; its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  // A crash of the machine is PostgreSQL's own test; without fsync and images of pages the suites run faster.
  postgres = await startPostgres(folder, [
    'fsync=off',
    'full_page_writes=off',
    'max_connections=200',
    'max_prepared_transactions=2',
  ]);
  postgres.keeper.unref();
  return postgres.url;
}

export async function globalTeardown(): Promise<void> {
  if (template) await dropDatabase(template);
  // Referenced again, or the process would end first and leave the folder behind.
  postgres?.keeper.ref();
  await postgres?.stop();
  // A process that ends may still write a file: a teardown that throws is begun again, without end.
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
