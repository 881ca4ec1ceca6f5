import { splitConnectionName } from '../connection-name.ts';
import type { Ask } from '../google-api.ts';
import type { Change } from './change-instance.ts';
import { cloudSqlApi } from './change-instance.ts';

/** An IAM login of an instance. */
export type SqlUser = {
  readonly name: string;
  readonly type: 'CLOUD_IAM_USER' | 'CLOUD_IAM_SERVICE_ACCOUNT' | 'CLOUD_IAM_GROUP';
  /** Roles of Cloud SQL; roles of the schema are granted by the migrations. */
  readonly databaseRoles?: readonly string[];
};

export type SqlDatabase = {
  /** `project:region:instance` */
  readonly instance: string;
  readonly database: string;
  readonly users: readonly SqlUser[];
};

type Found = { readonly items?: readonly SqlUser[] };

/**
 * Lists the changes that create (POST) what an instance lacks of a database and its logins, and that grant
 * (PUT) roles of Cloud SQL, which it need not report of the logins that have them. What exists is adopted: a
 * database that a removal kept with its events, the login of a deployer that another deployment has, too.
 */
export async function listMissing(ask: Ask, wanted: SqlDatabase): Promise<readonly Change[]> {
  const { project, instance } = splitConnectionName(wanted.instance);
  const base = `${cloudSqlApi}/projects/${project}/instances/${instance}`;
  const [database, { items = [] } = {}] = await Promise.all([
    ask(`${base}/databases/${wanted.database}`),
    ask<Found>(`${base}/users`),
  ]);
  const create = { url: `${base}/databases`, data: { project, instance, name: wanted.database } };
  const changes = wanted.users.flatMap((user): Change[] => {
    const found = items.find(({ name }) => name === user.name);
    if (!found) return [{ url: `${base}/users`, method: 'POST', data: { project, instance, ...user } }];
    const { name, type, databaseRoles = [] } = user;
    const missing = databaseRoles.filter((role) => !found.databaseRoles?.includes(role));
    const query = new URLSearchParams({ name });
    for (const role of missing) query.append('databaseRoles', role);
    return missing.length > 0 ? [{ url: `${base}/users?${query}`, method: 'PUT', data: { name, type } }] : [];
  });
  return database ? changes : [{ ...create, method: 'POST' }, ...changes];
}
