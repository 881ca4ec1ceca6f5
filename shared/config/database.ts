import * as v from 'valibot';
import {
  defineFlag,
  defineNumber,
  defineSetting,
  defineText,
  functionNames,
  readSettings,
  type Settings,
  type Texts,
} from './setting.ts';
import { type Checked, checkAll, reject } from './validate.ts';

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
      schema: required('Set the IAM login: an address, of a service account without .gserviceaccount.com.'),
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
    { ...everywhere, secret: 'whole', allowed: '`postgres://...`' },
    'PostgreSQL 16 or newer, of the encoding UTF8; `npm start` runs an embedded PostgreSQL if it is not set.',
  ),
  ...cloudSqlSettings,
};

export type CloudSqlLocation = { readonly kind: 'cloud-sql' } & Settings<typeof cloudSqlSettings>;
export type DatabaseLocation = { readonly kind: 'url'; readonly url: string } | CloudSqlLocation;
export type DatabaseEnvironment = Texts<typeof databaseLocationSettings>;

/** Whether pg reads it, with an empty host for a socket, and it replaces no settings of sessions. */
const isDatabaseUrl = (url: string) =>
  /^postgres(ql)?:\/\/(?!.*[?&]options=)/s.test(url) && URL.canParse(url.replace('@/', '@socket/'));
const urlRemedy =
  'Must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, with one host, a password in percent-encoding, and without `options`.';

/** Reads the location from DATABASE_URL, or from INSTANCE_CONNECTION_NAME and the DB_ variables. */
export function readDatabaseLocation(env: DatabaseEnvironment): Checked<DatabaseLocation> {
  const { DATABASE_URL: url, INSTANCE_CONNECTION_NAME: instance } = env;
  if (url && instance)
    return reject('DATABASE_URL', '(set)', 'Set either DATABASE_URL or INSTANCE_CONNECTION_NAME, not both.');
  if (instance) {
    const checked = readSettings(cloudSqlSettings, env);
    return checked.ok ? { ok: true, value: { kind: 'cloud-sql', ...checked.value } } : checked;
  }
  if (!url)
    return reject('DATABASE_URL', undefined, 'Set DATABASE_URL, or INSTANCE_CONNECTION_NAME for Cloud SQL.');
  if (!isDatabaseUrl(url)) return reject('DATABASE_URL', '(not shown)', urlRemedy);
  return { ok: true, value: { kind: 'url', url } };
}

/** The lower default on Cloud SQL, where connections are counted across all instances. */
const cloudSqlPoolMax = 2;

export const poolSettings = {
  DB_POOL_MAX: defineNumber(
    { as: 'poolMax', default: 4, min: 1, max: 100, readBy: functionNames, stack: 'derived' },
    `Maximum database connections of one function instance; the default on Cloud SQL is ${cloudSqlPoolMax}.`,
  ),
  NOTIFY: defineFlag(
    { default: false, readBy: functionNames },
    'Sends a notification on the channel `dlq_events` for each statement that changes events (docs/metrics.md).',
  ),
  LOG_SQL: defineFlag(
    { default: false, readBy: functionNames, stack: { unset: 'Only `npm run dev` logs statements.' } },
    'Logs each statement with its time, without its values, for development.',
  ),
};

type Pool = Settings<typeof poolSettings>;
export type DatabaseConfig = DatabaseLocation & Pick<Pool, 'poolMax'> & Partial<Pool>;

/** Reads the location of the database, and the size of the connection pool. */
export function readDatabase(env: DatabaseEnvironment & Texts<typeof poolSettings>): Checked<DatabaseConfig> {
  const defaults = env.INSTANCE_CONNECTION_NAME ? { DB_POOL_MAX: String(cloudSqlPoolMax) } : {};
  const pool = readSettings(poolSettings, { ...defaults, ...env });
  const checked = checkAll({ location: readDatabaseLocation(env), pool });
  return checked.ok ? { ok: true, value: { ...checked.value.location, ...checked.value.pool } } : checked;
}
