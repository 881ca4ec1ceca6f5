import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseLocation } from '../shared/config/database.ts';
import { type ConnectorOptions, openCloudSql } from '../shared/database/cloud-sql.ts';
import { sessionSettings, toOptions } from '../shared/database/session-settings.ts';
import { describeError } from './describe-error.ts';

export type ConnectOptions = {
  /** How long to retry a login that the database rejects. */
  readonly timeoutSeconds?: number | undefined;
  readonly connector?: ConnectorOptions | undefined;
};

/** Maximum pause between two attempts to log in. */
const maxWaitMs = 10_000;

/**
 * Runs `work` with a connection to a database and closes it. Retries a rejected login for `timeoutSeconds`: a
 * grant may take minutes. Throws an Error that names the location.
 */
export async function withClient<T>(
  location: DatabaseLocation,
  work: (client: pg.Client) => Promise<T>,
  options: ConnectOptions = {},
): Promise<T> {
  const { client, close } = await connectWithRetry(location, options);
  try {
    return await work(client);
  } finally {
    await close();
  }
}

async function connectWithRetry(
  location: DatabaseLocation,
  { timeoutSeconds = 0, connector }: ConnectOptions,
) {
  const until = Date.now() + timeoutSeconds * 1000;
  for (let waitMs = 250; ; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    try {
      return await connectClient(location, connector);
    } catch (cause) {
      const isWaiting = isRejected(cause) && timeoutSeconds > 0;
      if (!isWaiting || Date.now() + waitMs > until) {
        const advice = isWaiting
          ? ` (rejected for ${timeoutSeconds} s: a new login or grant may take longer to apply; run the same command again)`
          : '';
        const reason = `No connection to ${describeLocation(location)}: ${describeError(cause)}`;
        throw new Error(reason + advice, { cause });
      }
    }
    await pause(waitMs);
  }
}

/** PostgreSQL rejected the login (class 28), or Google Cloud the caller (403). */
function isRejected(error: unknown): boolean {
  const { code, status, cause } = error as { code?: unknown; status?: unknown; cause?: unknown };
  return String(code).startsWith('28') || status === 403 || (cause instanceof Error && isRejected(cause));
}

/** A migration of a large database takes longer than any statement of a login may. */
const patient = { statement_timeout: '0', lock_timeout: '0', idle_in_transaction_session_timeout: '0' };

async function connectClient(location: DatabaseLocation, connector?: ConnectorOptions) {
  const { options, close: closeConnector } = await openOptions(location, connector);
  const client = new pg.Client({
    options: toOptions({ ...sessionSettings, ...patient }),
    ...options,
    connectionTimeoutMillis: 20_000,
    application_name: 'migrate',
  });
  // The query in progress reports a broken connection; an unheard error event would end the process.
  client.on('error', () => {});
  const close = async () => {
    await client.end();
    closeConnector();
  };
  try {
    await client.connect();
    return { client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A migration may wait longer than a request. */
const cloudSqlTimeoutMs = 60_000;

function openOptions(location: DatabaseLocation, connector?: ConnectorOptions) {
  if (location.kind === 'cloud-sql') return openCloudSql(location, cloudSqlTimeoutMs, connector);
  return { options: { connectionString: location.url }, close: () => {} };
}

function describeLocation(location: DatabaseLocation): string {
  if (location.kind === 'url') return URL.parse(location.url)?.host || 'its socket';
  const address = location.ipType === 'PUBLIC' ? '' : ` (${location.ipType} address)`;
  return `${location.instance} as ${location.user}${address}`;
}
