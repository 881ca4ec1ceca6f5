import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { ConflictError } from '../shared/errors.ts';

/**
 * Checks the database, creates the group roles, and revokes the rights to create objects that PostgreSQL
 * grants to every login. Prints a warning if the login may not revoke them. From here on, the session creates
 * objects in the schema public, whatever its search path was. Safe to repeat and to run concurrently.
 */
export async function prepareDatabase(client: pg.Client, folder = import.meta.dirname): Promise<void> {
  await checkDatabase(client);
  client.on('notice', ({ code, message }) => {
    if (code === 'DLO01') console.warn(message);
  });
  await client.query('set search_path = public');
  await client.query(await readFile(path.join(folder, 'deploy/prepare-database.sql'), 'utf8'));
}

const oldestVersion = 16;

type State = {
  readonly version: number;
  readonly versionText: string;
  readonly encoding: string;
  readonly isForeign: boolean;
};

/**
 * Checks that the schema may be created or upgraded, before anything is changed. Throws a ConflictError if
 * the server is older than PostgreSQL 16, the encoding is not UTF-8, or dlq_events is a table of the articles.
 */
async function checkDatabase(client: pg.Client): Promise<void> {
  const { version, versionText, encoding, isForeign } = await readState(client);
  if (version < oldestVersion * 10_000) {
    throw new ConflictError(
      `The server runs PostgreSQL ${versionText}; PostgreSQL ${oldestVersion} or newer is required.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new ConflictError(
      `The encoding of the database is ${encoding}; UTF8 is required. Create a database with CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0, and restore a dump of this one into it.`,
    );
  }
  if (isForeign) {
    throw new ConflictError(
      'dlq_events is a table of the articles or of your own, not of this product. Run docs/adopt/dlq_events.sql first: it renames the table, and consumers go on writing (docs/bring-over.md).',
    );
  }
}

async function readState(client: pg.Client): Promise<State> {
  const { rows } = await client.query<State>(`
    select
      current_setting('server_version_num')::int as version, split_part(current_setting('server_version'), ' ', 1) as "versionText",
      current_setting('server_encoding') as encoding,
      exists (
        select from pg_class
        where oid in (to_regclass('public.dlq_events'), to_regclass('dlq_events'))
          and not exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'event_key')
          and (relkind <> 'v' or to_regclass('public.adopted_dlq_events') is null)
      ) as "isForeign"`);
  return rows[0] as State;
}
