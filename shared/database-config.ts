import * as v from 'valibot';
import { type DatabasePlace, readDatabasePlace } from './database-place.ts';
import type { Environment } from './environment.ts';
import { type Checked, check } from './validate.ts';
import { wholeNumber } from './whole-number.ts';

export type DatabaseConfig = DatabasePlace & {
  readonly poolMax: number;
  /** Each statement that changes events notifies the channel `dlq_events`. */
  readonly notify?: boolean;
};

const notify = v.optional(v.picklist(['true', 'false'], 'Use "true" or "false".'), 'false');
const UrlPoolSchema = v.object({ DB_POOL_MAX: wholeNumber(4, 1, 100), NOTIFY: notify });
const CloudSqlPoolSchema = v.object({ DB_POOL_MAX: wholeNumber(2, 1, 100), NOTIFY: notify });

/** Reads where the database is, and how many connections to it one instance may hold. */
export function readDatabase(env: Environment): Checked<DatabaseConfig> {
  const place = readDatabasePlace(env);
  const pool = check(env.INSTANCE_CONNECTION_NAME ? CloudSqlPoolSchema : UrlPoolSchema, env);
  if (place.ok && pool.ok) {
    const { DB_POOL_MAX: poolMax, NOTIFY } = pool.value;
    return { ok: true, value: { ...place.value, poolMax, ...(NOTIFY === 'true' && { notify: true }) } };
  }
  return { ok: false, problems: [place, pool].flatMap((each) => (each.ok ? [] : each.problems)) };
}
