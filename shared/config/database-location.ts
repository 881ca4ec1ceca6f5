import * as v from 'valibot';
import {
  defineSetting,
  defineText,
  functionNames,
  readSettings,
  type Settings,
  type Texts,
} from './setting.ts';
import { type Checked, reject } from './validate.ts';

const everywhere = { readBy: functionNames, stack: 'derived' } as const;
const required = (remedy: string) => v.pipe(v.string(remedy), v.nonEmpty(remedy));

const cloudSqlSettings = {
  INSTANCE_CONNECTION_NAME: defineSetting(
    {
      ...everywhere,
      as: 'instance',
      allowed: '`project:region:instance`',
      schema: v.pipe(v.string(), v.regex(/^[^:]+(:[^:]+){2,3}$/, 'Must look like project:region:instance.')),
    },
    'Cloud SQL instance, in place of DATABASE_URL; the connector opens the connections with an IAM login.',
  ),
  DB_NAME: defineSetting(
    {
      ...everywhere,
      as: 'database',
      allowed: 'text',
      schema: required('Set the name of the database on the instance.'),
    },
    'Database on the instance; required with INSTANCE_CONNECTION_NAME.',
  ),
  DB_USER: defineSetting(
    {
      ...everywhere,
      as: 'user',
      allowed: 'address, for a service account without `.gserviceaccount.com`',
      schema: required(
        'Set the IAM login: the address of a user, or of a service account without .gserviceaccount.com.',
      ),
    },
    'IAM database user; required with INSTANCE_CONNECTION_NAME.',
  ),
  DB_IP_TYPE: defineSetting(
    {
      ...everywhere,
      as: 'ipType',
      default: 'PUBLIC',
      allowed: '`PUBLIC`, `PRIVATE`, `PSC`',
      schema: v.optional(v.picklist(['PUBLIC', 'PRIVATE', 'PSC'], 'Use PUBLIC, PRIVATE or PSC.'), 'PUBLIC'),
    },
    'Address of the instance that the connector uses, with INSTANCE_CONNECTION_NAME.',
  ),
};

export const databaseLocationSettings = {
  DATABASE_URL: defineText(
    { ...everywhere, allowed: '`postgres://...`' },
    'PostgreSQL 16 or newer, of the encoding UTF8; `npm start` runs an embedded PostgreSQL if it is not set.',
  ),
  ...cloudSqlSettings,
};

export type CloudSqlLocation = { readonly kind: 'cloud-sql' } & Settings<typeof cloudSqlSettings>;
export type DatabaseLocation = { readonly kind: 'url'; readonly url: string } | CloudSqlLocation;
export type DatabaseEnvironment = Texts<typeof databaseLocationSettings>;

/**
 * Reads the location of the database from DATABASE_URL or from INSTANCE_CONNECTION_NAME and the DB_
 * variables.
 */
export function readDatabaseLocation(env: DatabaseEnvironment): Checked<DatabaseLocation> {
  if (env.DATABASE_URL && env.INSTANCE_CONNECTION_NAME) {
    return reject('DATABASE_URL', '(set)', 'Set either DATABASE_URL or INSTANCE_CONNECTION_NAME, not both.');
  }
  if (env.INSTANCE_CONNECTION_NAME) return readCloudSql(env);
  if (!env.DATABASE_URL) {
    return reject('DATABASE_URL', undefined, 'Set DATABASE_URL, or INSTANCE_CONNECTION_NAME for Cloud SQL.');
  }
  if (!/^postgres(ql)?:\/\//.test(env.DATABASE_URL)) {
    return reject('DATABASE_URL', '(not shown)', 'Must start with postgres:// or postgresql://.');
  }
  return { ok: true, value: { kind: 'url', url: env.DATABASE_URL } };
}

function readCloudSql(env: DatabaseEnvironment): Checked<DatabaseLocation> {
  const checked = readSettings(cloudSqlSettings, env);
  return checked.ok ? { ok: true, value: { kind: 'cloud-sql', ...checked.value } } : checked;
}
