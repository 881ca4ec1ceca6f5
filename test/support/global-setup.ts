import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clusterFolder, createCluster, superuser } from '../../local/database/cluster.ts';
import type { Kept } from '../../local/database/keeper.ts';
import { findPlace, type Place } from '../../local/database/place.ts';
import { findFreePort } from './free-port.ts';

const keeper = path.resolve(import.meta.dirname, '../../local/database/keeper.ts');
const password = 'only-for-tests';

let server: ChildProcess | undefined;
let folder: string | undefined;

/**
 * One PostgreSQL for the whole run; each suite makes databases of its own in it. DATABASE_URL replaces it. And one
 * folder for what suites share, DLO_TEST_FOLDER, which is gone afterwards.
 */
export async function globalSetup(): Promise<void> {
  // Every file runs in a process of its own, and most of them load much the same code.
  process.env.NODE_COMPILE_CACHE ??= path.resolve(import.meta.dirname, '../../node_modules/.cache/node');
  folder = await mkdtemp(path.join(tmpdir(), 'dlo-test-'));
  process.env.DLO_TEST_FOLDER = folder;
  if (process.env.DATABASE_URL) return;
  // PostgreSQL refuses to run as root and then runs as a user of its own, who has to find its way in.
  await chmod(folder, 0o711);
  const place = findPlace(folder);
  const port = await findFreePort();
  await createCluster(place, password);
  server = await startServer(place, port);
  process.env.DATABASE_URL = `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`;
}

export async function globalTeardown(): Promise<void> {
  if (server) {
    // Waited for again, or the process ends first and leaves the folder behind.
    server.ref();
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
  if (folder) await rm(folder, { recursive: true, force: true });
}

/** Under the keeper, so that PostgreSQL ends with the tests even where they are killed. */
async function startServer(place: Place, port: number): Promise<ChildProcess> {
  // What survives a crash of the machine is PostgreSQL's to test, not ours; without it the suites run faster.
  const settings = [
    'fsync=off',
    'max_connections=200',
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
  ];
  const kept: Kept = {
    command: path.join(place.programs, 'postgres'),
    parameters: ['-D', clusterFolder(place), '-p', `${port}`, ...settings.flatMap((each) => ['-c', each])],
    options: { cwd: place.folder, ...place.user },
  };
  const child = spawn(process.execPath, [keeper, JSON.stringify(kept)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.includes('ready to accept connections')) resolve();
    });
    child.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${output}`)));
  });
  child.unref();
  return child;
}
