import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';

/**
 * Creates the group roles, and revokes the rights to create objects that PostgreSQL grants to every login.
 * Prints a warning if the login may not revoke them. From here on, the session creates objects in the schema
 * public, whatever its search path was. Safe to repeat and to run concurrently.
 */
export async function prepareDatabase(client: pg.Client, folder = import.meta.dirname): Promise<void> {
  client.on('notice', ({ code, message }) => {
    if (code === 'DLO01') console.warn(message);
  });
  await client.query('set search_path = public');
  await client.query(await readFile(path.join(folder, 'deploy/prepare-database.sql'), 'utf8'));
}
