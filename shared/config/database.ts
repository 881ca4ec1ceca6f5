import * as v from 'valibot';
import {
  type DatabaseEnvironment,
  type DatabaseLocation,
  readDatabaseLocation,
} from './database-location.ts';
import {
  defineFlag,
  defineNumber,
  defineSetting,
  functionNames,
  readSettings,
  type Settings,
  type Texts,
} from './setting.ts';
import type { Checked } from './validate.ts';

/**
 * On Cloud SQL the default of DB_POOL_MAX is lower: connections are counted across all instances of all
 * functions.
 */
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
  LOG_SQL: defineSetting(
    {
      allowed: '`1`',
      schema: v.pipe(
        v.optional(v.picklist(['', '1'], 'Use 1, or unset it.'), ''),
        v.transform((text) => text === '1'),
      ),
      readBy: functionNames,
      stack: { unset: 'Only `npm run dev` logs statements.' },
    },
    'Logs each statement with its time, without its values, for development.',
  ),
};

type Pool = Settings<typeof poolSettings>;
export type DatabaseConfig = DatabaseLocation & Pick<Pool, 'poolMax'> & Partial<Pool>;

/** Reads the location of the database, and the size of the connection pool. */
export function readDatabase(env: DatabaseEnvironment & Texts<typeof poolSettings>): Checked<DatabaseConfig> {
  const location = readDatabaseLocation(env);
  const defaults = env.INSTANCE_CONNECTION_NAME ? { DB_POOL_MAX: String(cloudSqlPoolMax) } : {};
  const pool = readSettings(poolSettings, { ...defaults, ...env });
  if (location.ok && pool.ok) return { ok: true, value: { ...location.value, ...pool.value } };
  return { ok: false, problems: [location, pool].flatMap((each) => (each.ok ? [] : each.problems)) };
}
