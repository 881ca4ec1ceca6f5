import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Postgres } from '../../local/database/start-postgres.ts';
import { limitCompileCache } from './compile-cache.ts';
import { dropDatabases } from './database.ts';
import { makeFolder } from './make-folder.ts';
import { startServer } from './start-server.ts';
import { createTemplate } from './template.ts';

let postgres: Postgres | undefined;
let folder: string | undefined;

/**
 * Starts one PostgreSQL for the whole run, in which suites create databases as copies of DLO_TEST_TEMPLATE;
 * DATABASE_URL replaces it. Returns the folder of all temporary files, DLO_TEST_FOLDER, which is there until
 * the end.
 */
export async function globalSetup(): Promise<string> {
  // Several processes load the same code.
  const compileCache = path.resolve(import.meta.dirname, '../../node_modules/.cache/node');
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  // Never the folder of somebody else, whom the environment may name.
  limitCompileCache(compileCache);
  folder = makeFolder();
  process.env.DLO_TEST_FOLDER = folder;
  process.env.DLO_TEST_RUN = randomBytes(4).toString('hex');
  process.env.TMPDIR = folder;
  if (!process.env.DATABASE_URL) {
    postgres = await startServer(folder);
    postgres.keeper.unref();
    process.env.DATABASE_URL = postgres.url;
  }
  process.env.DLO_TEST_TEMPLATE ??= await createTemplate();
  return folder;
}

export async function globalTeardown(): Promise<void> {
  // Referenced again, or the process would end first and leave the folder behind.
  postgres?.keeper.ref();
  if (postgres) await postgres.stop();
  else if (process.env.DATABASE_URL) await dropDatabases();
  // A process that ends may still write a file: a teardown that throws is begun again, without end.
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
