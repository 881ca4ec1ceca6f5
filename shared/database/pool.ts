import type { Socket } from 'node:net';
import type pg from 'pg';
import type { DatabaseConfig } from '../config/database.ts';
import { log } from '../log.ts';
import { openCloudSql } from './cloud-sql.ts';
import { functionSettings, sessionSettings, toOptions } from './session-settings.ts';

/**
 * Limits in ms. `statementMs` and `lockMs` are those of PostgreSQL for a statement and for each lock it waits
 * for; `connectMs` limits the wait for a connection; that for one in use is repeated.
 */
export type Timeouts = { readonly statementMs: number; readonly lockMs: number; readonly connectMs: number };

/** A pool, and the time at which it was opened in ms since the epoch. */
export type Connected = Awaited<ReturnType<typeof connect>>;

/** Opens a pool. Connections are opened when needed; on Cloud SQL the connector is asked first. */
export async function connect(
  config: DatabaseConfig,
  applicationName: string,
  { statementMs, lockMs, connectMs }: Timeouts,
) {
  const { options, close: closeConnector } =
    config.kind === 'url'
      ? { options: { connectionString: config.url }, close: () => {} }
      : await openCloudSql(config, connectMs);
  // Loaded with the first query: a cold start without a query does not wait for it.
  const { Pool, types } = await import('pg');
  const pool = new Pool({
    options: toOptions({ ...sessionSettings, ...functionSettings, ...(config.notify && notifySettings) }),
    ...options,
    max: config.poolMax,
    types: { getTypeParser: (oid, format) => parseTime(oid, types.getTypeParser(oid, format)) },
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1800,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: 30_000,
    onConnect: checkEncoding,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  allowSlowNetwork(pool, config);
  pool.on('error', (error) => log('WARNING', `An idle database connection was lost: ${error.message}`));
  // The pool listens to idle connections only, and an error event without a listener ends the process. The
  // query in progress reports a broken connection.
  pool.on('connect', (client) => client.on('error', () => {}));
  const close = async () => {
    await pool.end();
    closeConnector();
  };
  return { pool, openedAt: Date.now(), close };
}

const notifySettings = { 'dlo.notify': 'on' };

/** Throws if texts of the database cannot hold every character: captures would fail one by one. */
async function checkEncoding(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query('show server_encoding');
  const encoding: unknown = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw Object.assign(new Error(`The encoding of the database is ${encoding}.`), { code: 'NOT_UTF8' });
}

/** Removes a connection and destroys its socket: a silent server never confirms the end of a session. */
export function discard(client: pg.PoolClient): void {
  client.release(true);
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

/** Discards the connections that are idle now; the next queries open new ones. */
export function discardIdle(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left--) pool.connect().then(discard, () => {});
}

/**
 * How long the first connection may take in a private network, in ms: instances of Cloud Run wait "a minute
 * or more" for theirs, https://docs.cloud.google.com/run/docs/configuring/vpc-direct-vpc. Capture has 60 s
 * for a request.
 */
const firstConnectMs = 55_000;

/** Lets connections of a pool in a private network take longer until the first one is open. */
export function allowSlowNetwork(pool: pg.Pool, config: DatabaseConfig): void {
  if (config.kind !== 'cloud-sql' || config.ipType === 'PUBLIC') return;
  const { connectionTimeoutMillis } = pool.options;
  // The pool reads it for each connection.
  pool.options.connectionTimeoutMillis = firstConnectMs;
  pool.once('connect', () => {
    pool.options.connectionTimeoutMillis = connectionTimeoutMillis;
  });
}

/** timestamptz */
const timeOid = 1184;
/** The times farthest from 1970 that a Date can hold, in ms. */
const farthest = 8.64e15;

/** Times that a Date cannot hold, such as infinity, become the nearest that it can: readers expect one. */
function parseTime<Value>(oid: number, parse: (text: string) => Value): (text: string) => Value | Date {
  if (oid !== timeOid) return parse;
  return (text) => {
    const time: unknown = parse(text);
    if (time instanceof Date && !Number.isNaN(time.getTime())) return time;
    return new Date(/^-| BC$/.test(text) ? -farthest : farthest);
  };
}
