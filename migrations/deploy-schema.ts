import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import type { DatabasePlace } from '../shared/database-place.ts';
import { applyMigrations } from './apply-migrations.ts';
import { withClient } from './with-client.ts';

/** The logins that are to have each group role, such as `{ dlq_capture: ['capture@acme.iam'] }`. */
export type Logins = Readonly<Record<string, readonly string[]>>;

export type Deployment = {
  readonly logins: Logins;
  readonly folder?: string;
  /** For how long a login that is refused is tried again. */
  readonly patienceSeconds?: number;
};

/**
 * Migrates a database that several people deploy to, gives each login its role, and takes every other role of ours from
 * it. All that is made belongs to dlq_owner. Returns the names of the migrations that it applied. Safe to repeat, and to
 * start many times at once.
 */
export function deploySchema(place: DatabasePlace, deployment: Deployment): Promise<string[]> {
  const { logins, folder = import.meta.dirname, patienceSeconds } = deployment;
  const read = (file: string) => readFile(path.join(folder, 'deploy', file), 'utf8');
  const work = async (client: pg.Client) => {
    await client.query(await read('own-schema.sql'));
    const applied = await applyMigrations(client, folder);
    // The login may do what dlq_owner may, or more.
    await client.query('reset role');
    await grantRoles(client, logins, await read('list-grants.sql'));
    return applied;
  };
  return withClient(place, work, patienceSeconds);
}

async function grantRoles(client: pg.Client, logins: Logins, listGrants: string): Promise<void> {
  const wanted = Object.entries(logins).flatMap(([role, names]) => names.map((login) => ({ role, login })));
  const { rows } = await client.query<{ statement: string }>(listGrants, [JSON.stringify(wanted)]);
  for (const { statement } of rows) await client.query(statement);
}
