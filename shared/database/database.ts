import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { DatabaseConfig } from '../config/database.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { log } from '../log.ts';
import { type Connected, connect, discard, discardIdle, type Timeouts } from './pool.ts';
import { breaksConnection, breaksPool, errorCodeOf, isUnavailable, wasNeverSent } from './unavailable.ts';

export type Query = {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
  /** Rows are lists of values in the order of the columns, instead of objects. */
  readonly rowMode?: 'array';
  /** How long to wait for the result, in ms. The default is the statement timeout of the session and 3 s. */
  readonly deadlineMs?: number;
};

export type Result<Row> = { readonly fields: readonly { readonly name: string }[]; readonly rows: Row[] };

/** Runs statements. Each is a transaction of its own: none is open while the process waits for a network. */
export type Database = {
  /**
   * Throws DatabaseUnavailableError if the same query may succeed later, otherwise the error of PostgreSQL. A
   * query without a result at its deadline throws it too, and may have been committed.
   */
  query<Row>(query: Query): Promise<Result<Row>>;
  close(): Promise<void>;
};

// The connector renews its certificate on a timer, which Cloud Run may freeze between requests. A certificate
// expires after an hour: a pool that is replaced before never connects with an expired one.
const poolLifetimeMs = 45 * 60_000;

/** How much longer than PostgreSQL the client waits: a server that can still answer does first. */
const graceMs = 3000;

const usual: Timeouts = { statementMs: 60_000, lockMs: 5000, connectMs: 8000 };

/** Returns a database that connects with the first query, and again after the connection was lost. */
export function openDatabase(config: DatabaseConfig, applicationName: string, timeouts = usual): Database {
  const pools = openPools(config, () => connect(config, applicationName, timeouts));

  const run = async <Row>(query: Query, left = config.poolMax): Promise<Result<Row>> => {
    const held = await checkOut(pools.current);
    const startedAt = performance.now();
    try {
      const { deadlineMs = timeouts.statementMs + graceMs, ...rest } = query;
      const timed = { ...rest, query_timeout: deadlineMs } as pg.QueryConfig;
      const { fields, rows } = await held.client.query(timed);
      held.client.release();
      if (config.logSql) logStatement(query, performance.now() - startedAt);
      return { fields, rows };
    } catch (error) {
      release(held, error);
      // Each connection of the pool may be broken, and a new one works.
      if (left > 0 && wasNeverSent(error)) return run(query, left - 1);
      throw error;
    }
  };

  return {
    query: (query) => retryDeadlock(() => run(query)).catch(rethrow) as Promise<never>,
    close: pools.close,
  };
}

/** Returns the pool that is open now: it is opened when first needed, and replaced when it is old. */
function openPools({ kind }: DatabaseConfig, open: () => Promise<Connected>) {
  let latest: Promise<Connected> | undefined;
  const current = async (): Promise<pg.Pool> => {
    latest ??= open();
    const found = latest;
    const { pool, openedAt, close } = await found.catch((error: unknown) => {
      // The next query connects again.
      if (latest === found) latest = undefined;
      throw error;
    });
    if (kind !== 'cloud-sql' || Date.now() - openedAt <= poolLifetimeMs) return pool;
    // Only the first of the queries that found it replaces it.
    if (latest === found) {
      latest = open();
      close().catch((error) => log('WARNING', `Closing an old connection pool failed: ${error}`));
    }
    return current();
  };
  return { current, close: async () => (await latest)?.close() };
}

type Held = { readonly client: pg.PoolClient; readonly pool: pg.Pool };

/** Retries once, for an expired certificate or a restarting server, but not for a silent one. */
async function checkOut(current: () => Promise<pg.Pool>): Promise<Held> {
  const hold = async () => {
    const pool = await current();
    return { client: await pool.connect(), pool };
  };
  // Nothing was done, and any reason may pass: a rejected login is accepted once its grant is propagated.
  return hold()
    .catch((error) => (breaksPool(error) ? Promise.reject(error) : pause(250).then(hold)))
    .catch((error: unknown) => {
      throw new DatabaseUnavailableError(error);
    });
}

/** Gives a connection back after an error, unless the error broke it, or all of its pool. */
function release({ client, pool }: Held, error: unknown): void {
  if (breaksConnection(error)) discard(client);
  else client.release();
  if (breaksPool(error)) discardIdle(pool);
}

/** A statement that was rolled back to end a deadlock is a transaction of its own, and can run again. */
async function retryDeadlock<Value>(run: () => Promise<Value>, left = maxDeadlocks): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (errorCodeOf(error) !== '40P01' || left === 0) throw error;
    return retryDeadlock(run, left - 1);
  }
}

/** Retries of a statement that was rolled back to end a deadlock, each of which takes a second. */
const maxDeadlocks = 5;

/** Returns the same database with another deadline for each query, in ms. */
export function within(db: Database, deadlineMs: number): Database {
  return { ...db, query: (query) => db.query({ ...query, deadlineMs }) };
}

/** Logs a statement by its name, that of its file, or else its text. Never its values. */
function logStatement({ name, text }: Query, ms: number): void {
  log('DEBUG', `${ms.toFixed(1)} ms  ${name ? `${name}.sql` : text.replaceAll(/\s+/g, ' ').trim()}`, {
    action: 'sql',
  });
}

function rethrow(error: unknown): never {
  const isKnown = error instanceof DatabaseUnavailableError || !isUnavailable(error);
  throw isKnown ? error : new DatabaseUnavailableError(error);
}
