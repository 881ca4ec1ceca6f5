import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseLocation } from '../shared/config/database-location.ts';
import { openCloudSql } from '../shared/database/cloud-sql.ts';
import { describeError } from './describe-error.ts';

type Connection = { readonly client: pg.Client; readonly close: () => Promise<void> };

/**
 * Runs `work` with a connection to a database and closes it. Retries a rejected login for up to `timeoutSeconds`: Google Cloud
 * may take a minute to propagate a grant. Throws an Error that names the location.
 */
export async function withClient<T>(
  location: DatabaseLocation,
  work: (client: pg.Client) => Promise<T>,
  timeoutSeconds = 0,
): Promise<T> {
  const { client, close } = await connectWithRetry(location, Date.now() + timeoutSeconds * 1000);
  try {
    return await work(client);
  } finally {
    await close();
  }
}

async function connectWithRetry(location: DatabaseLocation, until: number): Promise<Connection> {
  for (let waitMs = 250; ; waitMs *= 2) {
    try {
      return await connect(location);
    } catch (cause) {
      if (!isRejected(cause) || Date.now() + waitMs > until) {
        throw new Error(`No connection to ${describeLocation(location)}: ${describeError(cause)}`, { cause });
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

async function connect(location: DatabaseLocation): Promise<Connection> {
  const { options, close: closeConnector } = await openOptions(location);
  const client = new pg.Client({ ...options, connectionTimeoutMillis: 20_000, application_name: 'migrate' });
  // The query in progress reports a broken connection; an error event without a listener would end the process.
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

async function openOptions(location: DatabaseLocation) {
  if (location.kind === 'cloud-sql') return openCloudSql(location, cloudSqlTimeoutMs);
  return { options: { connectionString: location.url }, close: () => {} };
}

function describeLocation(location: DatabaseLocation): string {
  if (location.kind === 'url') return new URL(location.url).host;
  const address = location.ipType === 'PUBLIC' ? '' : ` (${location.ipType} address)`;
  return `${location.instance} as ${location.user}${address}`;
}
