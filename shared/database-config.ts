import * as v from 'valibot';
import type { Environment } from './environment.ts';
import { type Checked, check, refuse } from './validate.ts';
import { wholeNumber } from './whole-number.ts';

type DatabasePlace =
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'cloud-sql';
      readonly instance: string;
      readonly database: string;
      readonly user: string;
      readonly ipType: 'PUBLIC' | 'PRIVATE' | 'PSC';
    };

export type DatabaseConfig = DatabasePlace & { readonly poolMax: number };

const required = (remedy: string) => v.pipe(v.string(remedy), v.nonEmpty(remedy));

const UrlSchema = v.object({
  DATABASE_URL: v.pipe(
    v.string(),
    v.regex(/^postgres(ql)?:\/\//, 'Must start with postgres:// or postgresql://.'),
  ),
});
const UrlPoolSchema = v.object({ DB_POOL_MAX: wholeNumber(4, 1, 100) });

const CloudSqlSchema = v.object({
  INSTANCE_CONNECTION_NAME: v.pipe(
    v.string(),
    v.regex(/^[^:]+(:[^:]+){2,3}$/, 'Must look like project:region:instance.'),
  ),
  DB_NAME: required('The name of the database on the instance.'),
  DB_USER: required('The IAM database user: the service account address without .gserviceaccount.com.'),
  DB_IP_TYPE: v.optional(v.picklist(['PUBLIC', 'PRIVATE', 'PSC'], 'Use PUBLIC, PRIVATE or PSC.'), 'PUBLIC'),
});
const CloudSqlPoolSchema = v.object({ DB_POOL_MAX: wholeNumber(2, 1, 100) });

/** Reads where the database is, and how many connections to it one instance may hold. */
export function readDatabase(env: Environment): Checked<DatabaseConfig> {
  const place = readPlace(env);
  const pool = check(env.INSTANCE_CONNECTION_NAME ? CloudSqlPoolSchema : UrlPoolSchema, env);
  if (place.ok && pool.ok) return { ok: true, value: { ...place.value, poolMax: pool.value.DB_POOL_MAX } };
  return { ok: false, problems: [place, pool].flatMap((each) => (each.ok ? [] : each.problems)) };
}

function readPlace(env: Environment): Checked<DatabasePlace> {
  if (env.DATABASE_URL && env.INSTANCE_CONNECTION_NAME) {
    return refuse('DATABASE_URL', '(set)', 'Set either DATABASE_URL or INSTANCE_CONNECTION_NAME, not both.');
  }
  if (env.INSTANCE_CONNECTION_NAME) {
    const checked = check(CloudSqlSchema, env);
    if (!checked.ok) return checked;
    const { INSTANCE_CONNECTION_NAME: instance, DB_NAME: database, DB_USER: user } = checked.value;
    return {
      ok: true,
      value: { kind: 'cloud-sql', instance, database, user, ipType: checked.value.DB_IP_TYPE },
    };
  }
  if (!env.DATABASE_URL) {
    return refuse('DATABASE_URL', undefined, 'Set DATABASE_URL, or INSTANCE_CONNECTION_NAME for Cloud SQL.');
  }
  const checked = check(UrlSchema, env);
  return checked.ok ? { ok: true, value: { kind: 'url', url: checked.value.DATABASE_URL } } : checked;
}
