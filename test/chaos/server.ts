import { readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findCluster } from '../../local/database/data-folder.ts';
import { startPostgres } from '../../local/database/start-postgres.ts';

export type Row = Record<string, unknown>;
export type Sql = <T = Row>(text: string, values?: unknown[]) => Promise<T[]>;

/** A PostgreSQL with one database, and what may be done to it. */
export type Server = {
  readonly url: string;
  /** Runs a statement beside all proxies, as the owner of everything. */
  readonly sql: Sql;
  /** A session of its own, for what must stay open. */
  session(): Promise<{ readonly sql: Sql; readonly end: () => Promise<void> }>;
  /** Ends the server and starts it again. */
  restart(signal: NodeJS.Signals, downMs: number): Promise<void>;
  close(): Promise<void>;
};

/** Sessions of operators: neither a read-only database nor a lock stops them for long. */
const limits = {
  options: '-c default_transaction_read_only=off -c lock_timeout=2000',
  statement_timeout: 20_000,
  connectionTimeoutMillis: 5000,
};

/** Returns how to run statements on a database, whatever happens to connections. */
export function openSql(url: string): Pick<Server, 'url' | 'sql' | 'session' | 'close'> {
  const pool = new pg.Pool({ connectionString: url, max: 8, ...limits });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    url,
    sql: async <T>(text: string, values: unknown[] = []) =>
      (await pool.query<T & pg.QueryResultRow>(text, values)).rows,
    async session() {
      const client = new pg.Client({ connectionString: url, ...limits });
      client.on('error', () => {});
      await client.connect();
      const sql = async <T>(text: string, values: unknown[] = []) =>
        (await client.query<T & pg.QueryResultRow>(text, values)).rows;
      return { sql, end: () => client.end().catch(() => {}) };
    },
    close: () => pool.end(),
  };
}

const maxStopMs = 30_000;

const settings = ['fsync=off', 'max_connections=100', 'shared_buffers=64MB', 'jit=off'];

/** Starts a PostgreSQL of its own in an empty folder. */
export async function startServer(folder: string): Promise<Server> {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  await chmod(folder, 0o711);
  let postgres = await startPostgres(folder, settings);
  const opened = openSql(postgres.url);
  const start = async (endsAt: number): Promise<void> => {
    try {
      postgres = await startPostgres(folder, settings);
    } catch (error) {
      // Backends of a killed server may still end.
      if (Date.now() > endsAt) throw error;
      await sleep(200);
      return start(endsAt);
    }
  };
  return {
    ...opened,
    async restart(signal, downMs) {
      const [pid] = readFileSync(path.join(findCluster(folder), 'postmaster.pid'), 'utf8').split('\n');
      const { ended } = postgres;
      process.kill(Number(pid), signal);
      // PostgreSQL 18 may wait forever for its checkpointer if it is stopped a moment after its start.
      const late = setTimeout(() => process.kill(Number(pid), 'SIGQUIT'), maxStopMs);
      await ended.catch(() => {}).finally(() => clearTimeout(late));
      await sleep(downMs);
      await start(Date.now() + 30_000);
    },
    async close() {
      await opened.close();
      await postgres.stop();
    },
  };
}
