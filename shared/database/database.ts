import type pg from 'pg';
import type { DatabaseConfig } from '../config/database.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { log } from '../log.ts';
import { openCloudSql } from './cloud-sql.ts';
import { allowSlowNetwork } from './first-connection.ts';

export type Query = {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
  /** Rows are lists of values in the order of the columns, instead of objects. */
  readonly rowMode?: 'array';
};

export type Result<Row> = { readonly fields: readonly { readonly name: string }[]; readonly rows: Row[] };

/** Runs statements. Each is a transaction of its own: none is open while the process waits for a network. */
export type Database = {
  /** Throws DatabaseUnavailableError if the same query may succeed later, otherwise the error of PostgreSQL. */
  query<Row>(query: Query): Promise<Result<Row>>;
  close(): Promise<void>;
};

/**
 * Listens to a channel on a connection of the pool, which it holds until the returned function is called. Calls `onNotify` for
 * each notification, `onLost` when the connection breaks. Throws DatabaseUnavailableError.
 */
export type Listen = (channel: string, listener: Listener) => Promise<() => void>;

export type Listener = { readonly onNotify: () => void; readonly onLost: () => void };

type Connected = { readonly pool: pg.Pool; readonly openedAt: number; readonly close: () => Promise<void> };

// The connector renews its certificate on a timer, which Cloud Run may freeze between requests. A certificate expires
// after an hour: a pool that is replaced before never connects with an expired one.
const poolLifetimeMs = 45 * 60_000;

/** Returns a database that connects with the first query, and again after the connection was lost. */
export function openDatabase(config: DatabaseConfig, applicationName: string): Database & { listen: Listen } {
  let current: Promise<Connected> | undefined;

  const connected = async (): Promise<Connected> => {
    current ??= connect(config, applicationName);
    const { openedAt, close } = await current.catch((error: unknown) => {
      // The next query connects again.
      current = undefined;
      throw error;
    });
    if (config.kind === 'cloud-sql' && Date.now() - openedAt > poolLifetimeMs) {
      current = connect(config, applicationName);
      close().catch((error: unknown) =>
        log('WARNING', 'Closing an old connection pool failed.', { error: String(error) }),
      );
    }
    return current;
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
    query: <Row>(query: Query) => withPool((pool) => retryDeadlock<Row>(pool, query)),
    listen: (channel, listener) => withPool((pool) => listen(pool, channel, listener)),
    async close() {
      await (await current)?.close();
    },
  };
}

/** How often a statement is retried that PostgreSQL rolled back to end a deadlock. Each deadlock takes a second. */
const maxDeadlocks = 5;

/** A statement that was rolled back to end a deadlock is a transaction of its own, and can run again. */
async function retryDeadlock<Row>(pool: pg.Pool, query: Query, left = maxDeadlocks): Promise<Result<Row>> {
  try {
    return await runQuery<Row>(pool, query);
  } catch (error) {
    if (codeOf(error) !== '40P01' || left === 0) throw error;
    return retryDeadlock(pool, query, left - 1);
  }
}

async function runQuery<Row>(pool: pg.Pool, query: Query): Promise<Result<Row>> {
  const client = await checkOut(pool);
  try {
    const { fields, rows } = await client.query(query as pg.QueryConfig);
    client.release();
    return { fields, rows };
  } catch (error) {
    // A broken connection is removed from the pool; one that rejected a statement is reused.
    client.release(isUnavailable(error));
    throw error;
  }
}

async function listen(pool: pg.Pool, channel: string, { onNotify, onLost }: Listener): Promise<() => void> {
  const client = await checkOut(pool);
  // Never reused: its next holder would receive the notifications.
  const discard = () => client.release(true);
  client.on('notification', onNotify);
  try {
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    discard();
    throw error;
  }
  const end = () => {
    discard();
    onLost();
  };
  client.once('end', end);
  return () => {
    client.off('end', end);
    discard();
  };
}

/** Retries once, for an expired certificate or a restarting server; the pool itself never retries. */
async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 250));
    return pool.connect();
  }
}

async function connect(config: DatabaseConfig, applicationName: string): Promise<Connected> {
  const { options, close: closeConnector } =
    config.kind === 'url'
      ? { options: { connectionString: config.url }, close: () => {} }
      : await openCloudSql(config);
  // Loaded with the first query: a cold start without a query does not wait for it.
  const { Pool } = await import('pg');
  const pool = new Pool({
    // The settings that the triggers read, for every session of the pool.
    options: `-c dlo.computes_fingerprints=on${config.notify ? ' -c dlo.notify=on' : ''}`,
    ...options,
    max: config.poolMax,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1800,
    statement_timeout: 60_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
  });
  allowSlowNetwork(pool, config);
  pool.on('error', (error) => log('WARNING', `An idle database connection was lost: ${error.message}`));
  // The pool listens to idle connections only, and an error event without a listener ends the process. The query in
  // progress reports a broken connection.
  pool.on('connect', (client) => client.on('error', () => {}));
  const close = async () => {
    await pool.end();
    closeConnector();
  };
  return { pool, openedAt: Date.now(), close };
}

// Classes 08, 40, 53 and 57P0x: connection lost, deadlock, out of resources, server stopping or starting. 55P03:
// lock_timeout, as another transaction kept a row locked.
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
