import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openCloudSql } from '../shared/cloud-sql.ts';
import type { DatabasePlace } from '../shared/database-place.ts';
import { describeError } from './describe-error.ts';

type Connection = { readonly client: pg.Client; readonly close: () => Promise<void> };

/**
 * Gives `work` a connection to a database, wherever it is. A login that is refused is tried again for `patienceSeconds`:
 * what it was granted a moment ago may take Google Cloud a minute to know everywhere.
 */
export async function withClient<T>(
  place: DatabasePlace,
  work: (client: pg.Client) => Promise<T>,
  patienceSeconds = 0,
): Promise<T> {
  const { client, close } = await connectInTime(place, Date.now() + patienceSeconds * 1000);
  try {
    return await work(client);
  } finally {
    await close();
  }
}

async function connectInTime(place: DatabasePlace, until: number): Promise<Connection> {
  for (let waitMs = 250; ; waitMs *= 2) {
    try {
      return await connect(place);
    } catch (cause) {
      if (!isRefused(cause) || Date.now() + waitMs > until) {
        throw new Error(`No connection to ${describePlace(place)}: ${describeError(cause)}`, { cause });
      }
    }
    await pause(waitMs);
  }
}

/** PostgreSQL refused the login (class 28), or Google Cloud whoever asked (403). */
function isRefused(error: unknown): boolean {
  const { code, status } = error as { code?: unknown; status?: unknown };
  return String(code).startsWith('28') || status === 403;
}

async function connect(place: DatabasePlace): Promise<Connection> {
  const { options, close: closeWay } = await openWay(place);
  const client = new pg.Client({ ...options, connectionTimeoutMillis: 20_000, application_name: 'migrate' });
  // Of a connection that breaks the query tells; without a listener it would end the process first.
  client.on('error', () => {});
  const close = async () => {
    await client.end();
    closeWay();
  };
  try {
    await client.connect();
    return { client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openWay(place: DatabasePlace) {
  if (place.kind === 'cloud-sql') return openCloudSql(place);
  return { options: { connectionString: place.url }, close: () => {} };
}

function describePlace(place: DatabasePlace): string {
  if (place.kind === 'url') return new URL(place.url).host;
  const way = place.ipType === 'PUBLIC' ? '' : `, whose address is ${place.ipType}`;
  return `${place.instance} as ${place.user}${way}`;
}
