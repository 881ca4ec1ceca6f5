import { randomInt } from 'node:crypto';
import pg from 'pg';
import { ApiError } from '../api-error.ts';
import { type Call, pathOf, type Service } from '../call.ts';
import { newEtag } from '../etag.ts';
import { find, type Google, insert, list, remove } from '../google.ts';
import { applyMask, isObject, type Json } from '../json.ts';
import { isAllowed } from '../policies.ts';
import { createLogin, type SqlInstance, startSqlInstance } from '../sql-instance.ts';
import { completeSettings } from './cloud-sql-settings.ts';

const api = 'sqladmin.googleapis.com/{sql=sql/v1beta4|v1}';
const one = `${api}/{instance=projects/*/instances/*}`;

export type SqlInstances = Map<string, SqlInstance>;

/**
 * https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1beta4: every instance is a PostgreSQL of its
 * own.
 */
export function cloudSql(google: Google, running: SqlInstances): Service {
  return {
    ...instances(google, running),
    ...databases(google, running),
    ...users(google, running),
    ...connections(google, running),
    [`GET ${api}/{operation=projects/*/operations/*}`]: (call) => find(google, pathOf(call, 'operation')),
  };
}

function instances(google: Google, running: SqlInstances): Service {
  const write = (merge: (before: Json, given: Json) => Json) => (call: Call) => {
    const name = pathOf(call, 'instance');
    const before = find(google, name);
    const settings = completeSettings(
      merge(before.settings as Json, call.body.settings as Json),
      before.settings as Json,
    );
    google.resources.set(name, { ...before, settings, etag: newEtag() });
    return finish(google, name);
  };
  return {
    [`POST ${api}/{project=projects/*}/instances`]: async (call) => {
      const name = `${pathOf(call, 'project')}/instances/${call.body.name}`;
      await start(google, running, name, call.body);
      return finish(google, name);
    },
    [`GET ${api}/{project=projects/*}/instances`]: (call) => ({
      items: list(google, `${pathOf(call, 'project')}/instances`),
    }),
    [`GET ${one}`]: (call) => find(google, pathOf(call, 'instance')),
    // An update says everything: what is missing goes. A patch says what changes.
    [`PUT ${one}`]: write((_before, given) => given),
    [`PATCH ${one}`]: write((before, given) => applyMask(before, given, Object.keys(given))),
    [`DELETE ${one}`]: async (call) => {
      const name = pathOf(call, 'instance');
      const { settings } = find(google, name) as { settings: Json };
      if (settings.deletionProtectionEnabled) {
        throw new ApiError(
          'FAILED_PRECONDITION',
          'The instance is protected. Please disable the deletion protection and try again.',
        );
      }
      await running.get(name)?.stop();
      running.delete(name);
      remove(google, name);
      return finish(google, name);
    },
  };
}

/** Creates an instance that belongs to no deployment. `connectionName` is `project:region:instance`. */
export async function addInstance(
  google: Google,
  running: SqlInstances,
  connectionName: string,
): Promise<void> {
  const [project, region, name] = connectionName.split(':');
  await start(google, running, `projects/${project}/instances/${name}`, {
    name,
    region,
    databaseVersion: 'POSTGRES_18',
  });
}

async function start(google: Google, running: SqlInstances, name: string, given: Json): Promise<void> {
  const [, project = ''] = name.split('/');
  const described = describe(given, `projects/${project}`, `${project}:${given.name}`);
  insert(google, name, described);
  const instance = await startSqlInstance(`${project}:${given.name}`);
  running.set(name, instance);
  described.ipAddresses = [{ type: 'PRIMARY', ipAddress: instance.address }];
}

function databases(google: Google, running: SqlInstances): Service {
  const keyOf = (call: Call, name: unknown) => `${pathOf(call, 'instance')}/databases/${name}`;
  return {
    [`POST ${one}/databases`]: async (call) => {
      const { name } = call.body;
      const added = { charset: 'UTF8', collation: 'en_US.UTF8', ...call.body, kind: 'sql#database' };
      insertOnce(google, keyOf(call, name), added, `database "${name}" already exists`);
      const database = pg.escapeIdentifier(String(name));
      // On Cloud SQL the databases belong to this role.
      await of(running, call).query(`create database ${database} owner cloudsqlsuperuser`);
      return finish(google, pathOf(call, 'instance'));
    },
    [`GET ${one}/databases/{database}`]: (call) => find(google, keyOf(call, pathOf(call, 'database'))),
    [`PUT ${one}/databases/{database}`]: (call) => finish(google, pathOf(call, 'instance')),
    [`DELETE ${one}/databases/{database}`]: async (call) => {
      remove(google, keyOf(call, pathOf(call, 'database')));
      await of(running, call).query(`drop database ${pg.escapeIdentifier(pathOf(call, 'database'))}`);
      return finish(google, pathOf(call, 'instance'));
    },
  };
}

function users(google: Google, running: SqlInstances): Service {
  const keyOf = (call: Call, name: unknown) => `${pathOf(call, 'instance')}/users/${name}`;
  return {
    [`POST ${one}/users`]: async (call) => {
      const { name, databaseRoles = [], ...rest } = call.body;
      const added = {
        ...rest,
        name,
        host: '',
        kind: 'sql#user',
        instance: pathOf(call, 'instance').split('/').at(-1),
      };
      insertOnce(google, keyOf(call, name), added, `User "${name}" already exists`);
      const roles = google.ignoresDatabaseRoles ? [] : (databaseRoles as string[]);
      await createLogin(of(running, call), String(name), roles);
      return finish(google, pathOf(call, 'instance'));
    },
    [`GET ${one}/users`]: (call) => ({ items: list(google, `${pathOf(call, 'instance')}/users`) }),
    [`PUT ${one}/users`]: (call) => finish(google, pathOf(call, 'instance')),
    [`DELETE ${one}/users`]: async (call) => {
      const name = call.query.get('name') ?? '';
      await of(running, call).query(`drop role ${pg.escapeIdentifier(name)}`);
      remove(google, keyOf(call, name));
      return finish(google, pathOf(call, 'instance'));
    },
  };
}

/**
 * The requests of the connector before it connects, checked against the permissions of the calling account.
 */
function connections(google: Google, running: SqlInstances): Service {
  const check = (call: Call, permission: string) => {
    const instance = pathOf(call, 'instance');
    const attributes = {
      type: 'sqladmin.googleapis.com/Instance',
      name: instance,
      service: 'sqladmin.googleapis.com',
    };
    const resources = [instance.split('/').slice(0, 2).join('/')];
    if (isAllowed(google.policies, { member: call.caller, permission, resources, attributes })) return;
    throw new ApiError('PERMISSION_DENIED', `${call.caller} does not have ${permission} on ${instance}.`);
  };
  return {
    [`GET ${one}/connectSettings`]: (call) => {
      check(call, 'cloudsql.instances.get');
      const { region, databaseVersion, ipAddresses } = find(google, pathOf(call, 'instance'));
      const cert = of(running, call).authority.certificate;
      const serverCaCert = { cert, expirationTime: new Date(Date.now() + 3_600_000).toISOString() };
      return { kind: 'sql#connectSettings', region, databaseVersion, ipAddresses, serverCaCert };
    },
    [`POST ${one}:generateEphemeralCert`]: (call) => {
      check(call, 'cloudsql.instances.connect');
      if (call.body.access_token) check(call, 'cloudsql.instances.login');
      const user = call.caller.replace(/^\w+:/, '').replace(/\.gserviceaccount\.com$/, '');
      return {
        ephemeralCert: { cert: of(running, call).authority.certify(user, String(call.body.public_key)) },
      };
    },
  };
}

function of(running: SqlInstances, call: Call): SqlInstance {
  const found = running.get(pathOf(call, 'instance'));
  if (!found) throw new ApiError('NOT_FOUND', 'The Cloud SQL instance does not exist.');
  return found;
}

/** Cloud SQL answers 400 where others answer 409. */
function insertOnce(google: Google, name: string, resource: Json, message: string): void {
  if (google.resources.has(name)) throw new ApiError('INVALID_ARGUMENT', `Invalid request: ${message}.`);
  insert(google, name, resource);
}

function describe(given: Json, project: string, id: string): Json {
  const [projectId, name] = id.split(':');
  return {
    ...given,
    kind: 'sql#instance',
    state: 'RUNNABLE',
    project: projectId,
    backendType: 'SECOND_GEN',
    instanceType: 'CLOUD_SQL_INSTANCE',
    gceZone: `${given.region}-b`,
    connectionName: `${projectId}:${given.region}:${name}`,
    selfLink: `https://sqladmin.googleapis.com/sql/v1beta4/${project}/instances/${name}`,
    serviceAccountEmailAddress: `p${randomInt(2 ** 40)}@gcp-sa-cloud-sql.iam.gserviceaccount.com`,
    databaseInstalledVersion: 'POSTGRES_18_4',
    maintenanceVersion: 'POSTGRES_18_4.R20261101.00_01',
    etag: newEtag(),
    settings: completeSettings(isObject(given.settings) ? given.settings : {}, undefined),
  };
}

/** Cloud SQL has operations of its own kind: `status` says that they are done. */
function finish(google: Google, instance: string): Json {
  const project = instance.split('/').slice(0, 2).join('/');
  const name = `operation-${randomInt(2 ** 47)}`;
  const operation = {
    kind: 'sql#operation',
    name,
    status: 'DONE',
    operationType: 'UPDATE',
    targetId: instance.split('/').at(-1),
  };
  return insert(google, `${project}/operations/${name}`, operation);
}
