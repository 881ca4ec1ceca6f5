import { setTimeout as pause } from 'node:timers/promises';
import { deploySchema, type Logins } from '../migrations/deploy-schema.ts';
import type { CloudSqlLocation } from '../shared/config/database.ts';
import { splitConnectionName } from './connection-name.ts';
import type { DynamicKind } from './dynamic/dynamic-kind.ts';
import { type Ask, cloudSqlApi, find, finish, GoogleApiError } from './google-api.ts';

/** `user` logs in with the credentials of the provider. */
export type MigrationsInputs = Omit<CloudSqlLocation, 'kind'> & {
  readonly users: readonly SqlUser[];
  /** Logins by group role. */
  readonly logins: Logins;
  /** Hashes by file. */
  readonly migrations: Readonly<Record<string, string>>;
};

/**
 * Creates the database and its logins where they are missing, and migrates the schema. A failure fails the
 * stack update, and resources that depend on the schema stay unchanged. Database and logins that exist are
 * adopted, which the provider's own resources cannot do, and kept when it is removed.
 */
export const migrations: DynamicKind<MigrationsInputs> = {
  findFailed: async ({ ask }, inputs) =>
    (await listMissing(ask, inputs)).flatMap(({ method, url }) => (method === 'POST' ? [url] : [])),
  apply: async ({ ask, connector }, inputs, olds) => {
    if (!olds) await refuseSecond(ask, inputs);
    // One at a time, a limit of Cloud SQL.
    for (const change of await listMissing(ask, inputs)) await changeInstance(ask, change);
    const { instance, database, user, ipType, logins } = inputs;
    const location = { kind: 'cloud-sql', instance, database, user, ipType } as const;
    // Google Cloud needs up to several minutes until a new login or role is known.
    await deploySchema(location, { logins, formerLogins: olds?.logins, timeoutSeconds: 300, connector });
  },
};

/** Throws an Error for another instance that Pulumi named for this deployment: a killed update leaves one. */
async function refuseSecond(ask: Ask, inputs: MigrationsInputs): Promise<void> {
  const { project, instance } = splitConnectionName(inputs.instance);
  const [own] = /^.+-database-instance-/.exec(instance) ?? [];
  const url = `${cloudSqlApi}/projects/${project}/instances`;
  const { items = [] } = own ? await ask<{ readonly items?: readonly { readonly name: string }[] }>(url) : {};
  const other = items.find(({ name }) => name !== instance && name.replace(/[0-9a-f]{7}$/, '') === own)?.name;
  if (other === undefined) return;
  const remedy = `Delete the one that is empty, and run the same command again: gcloud sql instances delete ${other} --project=${project}. Import the one that has events.`;
  throw new Error(`A killed update has made ${other} beside ${instance}. ${remedy}`);
}

/** An IAM login of an instance. */
export type SqlUser = {
  readonly name: string;
  readonly type: 'CLOUD_IAM_USER' | 'CLOUD_IAM_SERVICE_ACCOUNT' | 'CLOUD_IAM_GROUP';
  /** Roles of Cloud SQL; roles of the schema are granted by the migrations. */
  readonly databaseRoles?: readonly string[];
};

type SqlDatabase = Pick<MigrationsInputs, 'instance' | 'database' | 'users'>;

/**
 * Lists the changes that create (POST) what an instance lacks of a database and its logins, and that grant
 * (PUT) roles of Cloud SQL, which it need not report of the logins that have them. Adopted is a database
 * that a removal kept with its events, and the login of a deployer that another deployment has, too.
 */
export async function listMissing(ask: Ask, wanted: SqlDatabase): Promise<readonly Change[]> {
  const { project, instance } = splitConnectionName(wanted.instance);
  const base = `${cloudSqlApi}/projects/${project}/instances/${instance}`;
  const [database, { items = [] }] = await Promise.all([
    find(ask, `${base}/databases/${wanted.database}`),
    ask<{ readonly items?: readonly SqlUser[] }>(`${base}/users`),
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

export type Change = { readonly url: string; readonly method: 'POST' | 'PUT'; readonly data: object };

/** Changes an instance, once earlier changes are done: Cloud SQL makes one at a time, and answers 409 meanwhile. */
export async function changeInstance(ask: Ask, { url, ...options }: Change): Promise<void> {
  const until = Date.now() + 600_000;
  const [project] = url.split('/instances/');
  for (;;) {
    try {
      return await finish(ask, `${project}/operations`, await ask(url, options));
    } catch (error) {
      if (!(error instanceof GoogleApiError) || error.status !== 409 || Date.now() > until) throw error;
    }
    await pause(2000);
  }
}
