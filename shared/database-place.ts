import * as v from 'valibot';
import { type Checked, check, refuse } from './validate.ts';

/** The variables that say where the database is. */
export type DatabaseEnvironment = {
  /** PostgreSQL connection string. Either this or INSTANCE_CONNECTION_NAME. */
  readonly DATABASE_URL?: string;
  /** Cloud SQL instance as `project:region:instance`: connects by the connector with IAM login. */
  readonly INSTANCE_CONNECTION_NAME?: string;
  /** With INSTANCE_CONNECTION_NAME: database name, IAM database user, PUBLIC | PRIVATE | PSC. */
  readonly DB_NAME?: string;
  readonly DB_USER?: string;
  readonly DB_IP_TYPE?: string;
};

export type CloudSqlPlace = {
  readonly kind: 'cloud-sql';
  readonly instance: string;
  readonly database: string;
  readonly user: string;
  readonly ipType: 'PUBLIC' | 'PRIVATE' | 'PSC';
};

export type DatabasePlace = { readonly kind: 'url'; readonly url: string } | CloudSqlPlace;

/** Where the environment says that the database is, or every problem of what it says. */
export function readDatabasePlace(env: DatabaseEnvironment): Checked<DatabasePlace> {
  if (env.DATABASE_URL && env.INSTANCE_CONNECTION_NAME) {
    return refuse('DATABASE_URL', '(set)', 'Set either DATABASE_URL or INSTANCE_CONNECTION_NAME, not both.');
  }
  if (env.INSTANCE_CONNECTION_NAME) return readCloudSql(env);
  if (!env.DATABASE_URL) {
    return refuse('DATABASE_URL', undefined, 'Set DATABASE_URL, or INSTANCE_CONNECTION_NAME for Cloud SQL.');
  }
  if (!/^postgres(ql)?:\/\//.test(env.DATABASE_URL)) {
    return refuse('DATABASE_URL', '(not shown)', 'Must start with postgres:// or postgresql://.');
  }
  return { ok: true, value: { kind: 'url', url: env.DATABASE_URL } };
}

const required = (remedy: string) => v.pipe(v.string(remedy), v.nonEmpty(remedy));

const CloudSqlSchema = v.object({
  INSTANCE_CONNECTION_NAME: v.pipe(
    v.string(),
    v.regex(/^[^:]+(:[^:]+){2,3}$/, 'Must look like project:region:instance.'),
  ),
  DB_NAME: required('The name of the database on the instance.'),
  DB_USER: required(
    'The IAM login: the address of a person, or of a service account without .gserviceaccount.com.',
  ),
  DB_IP_TYPE: v.optional(v.picklist(['PUBLIC', 'PRIVATE', 'PSC'], 'Use PUBLIC, PRIVATE or PSC.'), 'PUBLIC'),
});

function readCloudSql(env: DatabaseEnvironment): Checked<DatabasePlace> {
  const checked = check(CloudSqlSchema, env);
  if (!checked.ok) return checked;
  const {
    INSTANCE_CONNECTION_NAME: instance,
    DB_NAME: database,
    DB_USER: user,
    DB_IP_TYPE: ipType,
  } = checked.value;
  return { ok: true, value: { kind: 'cloud-sql', instance, database, user, ipType } };
}
