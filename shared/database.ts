import type pg from 'pg';
import { openCloudSql } from './cloud-sql.ts';
import type { DatabaseConfig } from './database-config.ts';
import { DatabaseUnavailableError } from './errors.ts';
import { log } from './log.ts';

export type Query = { readonly name?: string; readonly text: string; readonly values?: unknown[] };

/** What statements run on. Every statement is its own transaction: none is ever open while we wait for a network. */
export type Database = {
  /** Throws DatabaseUnavailableError when the same query may succeed later, and PostgreSQL's own error otherwise. */
  query<Row>(query: Query): Promise<{ rows: Row[] }>;
  close(): Promise<void>;
};

/**
 * Hears what is told on a channel, on a connection of the pool that nobody else has meanwhile, until the function that it
 * returns is called. `lost` is called where the connection breaks. Throws DatabaseUnavailableError.
 */
export type Listen = (channel: string, ears: Ears) => Promise<() => void>;

export type Ears = { readonly told: () => void; readonly lost: () => void };

type Connected = { readonly pool: pg.Pool; readonly openedAt: number; readonly close: () => Promise<void> };

// The connector renews its certificate on a timer, which Cloud Run may freeze between requests. A pool that is
// replaced well within the hour that a certificate lives never meets an expired one.
const poolLifetimeMs = 45 * 60_000;

/** Opens a database on its first query, and again by itself whenever the connection is lost. */
export function openDatabase(config: DatabaseConfig, applicationName: string): Database & { listen: Listen } {
  let current: Promise<Connected> | undefined;

  const connected = async (): Promise<Connected> => {
    current ??= connect(config, applicationName);
    const { openedAt, close } = await current.catch(forgetFailure);
    if (config.kind === 'cloud-sql' && Date.now() - openedAt > poolLifetimeMs) {
      current = connect(config, applicationName);
      close().catch((error: unknown) =>
        log('WARNING', 'An old connection pool did not close.', { error: String(error) }),
      );
    }
    return current;
  };
  const forgetFailure = (error: unknown): never => {
    current = undefined;
    throw error;
  };

  const withPool = async <Result>(work: (pool: pg.Pool) => Promise<Result>): Promise<Result> => {
    try {
      const { pool } = await connected();
      return await work(pool);
    } catch (error) {
      throw isUnavailable(error) ? new DatabaseUnavailableError(error) : error;
    }
  };

  return {
    query: <Row>(query: Query) => withPool((pool) => runThroughDeadlock<Row>(pool, query)),
    listen: (channel, ears) => withPool((pool) => listen(pool, channel, ears)),
    async close() {
      await (await current)?.close();
    },
  };
}

/** A statement is a transaction of its own: one that was taken back to end a deadlock is run once more. */
async function runThroughDeadlock<Row>(pool: pg.Pool, query: Query): Promise<{ rows: Row[] }> {
  try {
    return await runQuery<Row>(pool, query);
  } catch (error) {
    if (codeOf(error) !== '40P01') throw error;
    return runQuery<Row>(pool, query);
  }
}

async function runQuery<Row>(pool: pg.Pool, query: Query): Promise<{ rows: Row[] }> {
  const client = await checkOut(pool);
  try {
    const { rows } = await client.query(query as pg.QueryConfig);
    client.release();
    return { rows };
  } catch (error) {
    // A connection that broke is thrown away; one that merely refused a statement is as good as before.
    client.release(isUnavailable(error));
    throw error;
  }
}

async function listen(pool: pg.Pool, channel: string, { told, lost }: Ears): Promise<() => void> {
  const client = await checkOut(pool);
  // Thrown away in the end, as whoever had it next would go on hearing.
  const throwAway = () => client.release(true);
  client.on('notification', told);
  try {
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    throwAway();
    throw error;
  }
  const end = () => {
    throwAway();
    lost();
  };
  client.once('end', end);
  return () => {
    client.off('end', end);
    throwAway();
  };
}

/** One more try covers a stale certificate and a server that is just restarting; the pool itself never retries. */
async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 250));
    return pool.connect();
  }
}

async function connect(config: DatabaseConfig, applicationName: string): Promise<Connected> {
  if (config.kind === 'url') {
    const pool = await openPool(
      { ...notification(config), connectionString: config.url, max: config.poolMax },
      applicationName,
    );
    return { pool, openedAt: Date.now(), close: () => pool.end() };
  }
  const { options, close: closeWay } = await openCloudSql(config);
  const pool = await openPool({ ...notification(config), ...options, max: config.poolMax }, applicationName);
  const close = async () => {
    await pool.end();
    closeWay();
  };
  return { pool, openedAt: Date.now(), close };
}

/** What the database's triggers go by, in every session of this pool. */
function notification({ notify }: DatabaseConfig): pg.PoolConfig {
  return notify ? { options: '-c dlo.notify=on' } : {};
}

async function openPool(config: pg.PoolConfig, applicationName: string): Promise<pg.Pool> {
  // With the first query, not with the process: a cold start that does not query does not wait for it.
  const { Pool } = await import('pg');
  const pool = new Pool({
    ...config,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1800,
    statement_timeout: 60_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
  });
  pool.on('error', (error) => log('WARNING', `An idle database connection was lost: ${error.message}`));
  // The pool listens to idle connections only, and an error that nobody listens to ends the process. Of one that
  // breaks while it is used, the query tells.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

// Classes 08, 40, 53 and 57P0x: connection lost, deadlock, out of resources, server going down or not yet up. 55P03:
// somebody's transaction has kept a row locked for as long as we wait.
const unavailable =
  /^(08|40|53|55P03|57P0)|^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_SSL|ERR_TLS)/;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    unavailable.test(codeOf(error)) ||
    /terminated|timeout exceeded when trying to connect|not queryable/i.test(error.message)
  );
}
