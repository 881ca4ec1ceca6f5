import * as v from 'valibot';
import { type Checked, reject } from './validate.ts';
import { readSettings, type Texts, variable } from './variable.ts';

export type CloudSqlLocation = {
  readonly kind: 'cloud-sql';
  readonly instance: string;
  readonly database: string;
  readonly user: string;
  readonly ipType: 'PUBLIC' | 'PRIVATE' | 'PSC';
};

export type DatabaseLocation = { readonly kind: 'url'; readonly url: string } | CloudSqlLocation;

const required = (remedy: string) => v.pipe(v.string(remedy), v.nonEmpty(remedy));

const CloudSqlSchema = v.object({
  INSTANCE_CONNECTION_NAME: variable(
    {
      allowed: '`project:region:instance`',
      description:
        'Cloud SQL instance, in place of DATABASE_URL; the connector opens the connections with an IAM login.',
    },
    v.pipe(v.string(), v.regex(/^[^:]+(:[^:]+){2,3}$/, 'Must look like project:region:instance.')),
  ),
  DB_NAME: variable(
    { allowed: 'text', description: 'Database on the instance; required with INSTANCE_CONNECTION_NAME.' },
    required('Set the name of the database on the instance.'),
  ),
  DB_USER: variable(
    {
      allowed: 'address, for a service account without `.gserviceaccount.com`',
      description: 'IAM database user; required with INSTANCE_CONNECTION_NAME.',
    },
    required(
      'Set the IAM login: the address of a user, or of a service account without .gserviceaccount.com.',
    ),
  ),
  DB_IP_TYPE: variable(
    {
      default: 'PUBLIC',
      allowed: '`PUBLIC`, `PRIVATE`, `PSC`',
      description: 'Address of the instance that the connector uses, with INSTANCE_CONNECTION_NAME.',
    },
    v.optional(v.picklist(['PUBLIC', 'PRIVATE', 'PSC'], 'Use PUBLIC, PRIVATE or PSC.'), 'PUBLIC'),
  ),
});

export const DatabaseLocationSchema = v.object({
  DATABASE_URL: variable(
    {
      allowed: '`postgres://...`',
      description:
        'PostgreSQL 16 or newer, of the encoding UTF8; `npm start` runs an embedded PostgreSQL if it is not set.',
    },
    v.optional(v.string()),
  ),
  ...CloudSqlSchema.entries,
});

export type DatabaseEnvironment = Texts<typeof DatabaseLocationSchema.entries>;

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
  const checked = readSettings(CloudSqlSchema, env);
  if (!checked.ok) return checked;
  const {
    instanceConnectionName: instance,
    dbName: database,
    dbUser: user,
    dbIpType: ipType,
  } = checked.value;
  return { ok: true, value: { kind: 'cloud-sql', instance, database, user, ipType } };
}
