import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { CannotOpenError } from '../cannot-open-error.ts';
import { type Supervised, supervise, type Watch } from '../processes/supervise.ts';
import { clusterFolder, createCluster, superuser } from './cluster.ts';
import { choosePort, keepPassword, writeUrl } from './credentials.ts';
import type { Kept } from './keeper.ts';
import { stopLeftover } from './leftover.ts';
import { findPlace, type Place } from './place.ts';

const database = 'office';
/** Longer than the keeper's own patience with PostgreSQL. */
const closingMs = 7000;
const keeper = fileURLToPath(new URL('keeper.ts', import.meta.url));

export type Embedded = {
  readonly server: Supervised;
  readonly url: string;
  /** The file that holds the address. */
  readonly urlFile: string;
  readonly dataFolder: string;
};

/** Starts the office's own PostgreSQL on the data in `folder`, which is locked for us; creates it the first time. */
export async function startEmbedded(folder: string, watch: Watch): Promise<Embedded> {
  const place = findPlace(folder);
  const password = keepPassword(folder);
  const port = await choosePort(folder);
  await stopLeftover(clusterFolder(place));
  await createCluster(place, password);
  const address = `postgres://${superuser}:${password}@127.0.0.1:${port}`;
  const service = {
    name: 'PostgreSQL',
    launch: async () => {
      await stopLeftover(clusterFolder(place));
      return launch(place, port);
    },
    probe: () => canConnect(`${address}/postgres`),
    readLine: () => {},
    closingMs,
  };
  const url = `${address}/${database}`;
  const urlFile = writeUrl(folder, url);
  return { server: supervise(service, watch), url, urlFile, dataFolder: clusterFolder(place) };
}

/** Creates the office's database unless it is there. */
export async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.replace(/[^/]*$/, 'postgres') });
  await client.connect();
  try {
    const known = await client.query('select from pg_database where datname = $1', [database]);
    if (known.rowCount === 0) await client.query(`create database ${database}`);
  } finally {
    await client.end();
  }
}

function launch(place: Place, port: number): ChildProcess {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'shared_buffers=64MB',
    'max_connections=60',
    'jit=off',
  ];
  const kept: Kept = {
    command: join(place.programs, 'postgres'),
    parameters: ['-D', clusterFolder(place), '-p', String(port), ...settings.flatMap((each) => ['-c', each])],
    options: { cwd: place.folder, ...place.user },
  };
  return spawn(process.execPath, [keeper, JSON.stringify(kept)], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === '28P01') {
      const remedy = 'Put the right one into the file "password" beside the data, or move the data away.';
      throw new CannotOpenError(`The database refuses the password that is kept for it. ${remedy}`, {
        cause,
      });
    }
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
