import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import type { DatabaseLocation } from '../shared/config/database.ts';
import { applyMigrations } from './apply-migrations.ts';
import { prepareDatabase } from './prepare-database.ts';
import { type ConnectOptions, withClient } from './with-client.ts';

/** The logins of each group role, such as `{ dlq_capture: ['capture@acme.iam'] }`. */
export type Logins = Readonly<Record<string, readonly string[]>>;

export type Deployment = ConnectOptions & {
  readonly logins: Logins;
  /** Those before: one that `logins` no longer has loses its group role. */
  readonly formerLogins?: Logins | undefined;
  readonly folder?: string;
};

/**
 * Migrates a database that several operators deploy to, grants each login its group role, and revokes every
 * other group role from it. Everything created belongs to dlq_owner. Returns the names of the applied
 * migrations. Safe to repeat and to start concurrently.
 */
export function deploySchema(location: DatabaseLocation, deployment: Deployment): Promise<string[]> {
  const { logins, formerLogins = {}, folder = import.meta.dirname, ...options } = deployment;
  const read = (file: string) => readFile(path.join(folder, 'deploy', file), 'utf8');
  const work = async (client: pg.Client) => {
    await prepareDatabase(client, folder);
    await client.query(await read('own-schema.sql'));
    const applied = await applyMigrations(client, folder);
    // The login has the rights of dlq_owner, and may have more.
    await client.query('reset role');
    const former = Object.values(formerLogins).flat();
    const { rows } = await client.query(await read('list-grants.sql'), [toJson(logins), former]);
    for (const { statement } of rows) await client.query(statement);
    return applied;
  };
  return withClient(location, work, options);
}

function toJson(logins: Logins): string {
  return JSON.stringify(
    Object.entries(logins).flatMap(([role, names]) => names.map((login) => ({ role, login }))),
  );
}
