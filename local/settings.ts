import { resolve } from 'node:path';
import * as v from 'valibot';
import { type Checked, check, checkAll } from '../shared/config/validate.ts';
import { wholeNumberText } from '../shared/config/whole-number.ts';
import type { Route } from '../shared/delivery/routes.ts';
import { readConfig } from '../shared/environment/config.ts';
import { ConfigError } from '../shared/errors.ts';
import { installation } from './installation.ts';

/** Settings of `npm start`. Without `databaseUrl` it runs the embedded PostgreSQL in `dataFolder`. */
export type Settings = ReturnType<typeof readSettings>;

/** A placeholder: the embedded database's URL is not known until it has started. */
const embeddedUrl = 'postgres://embedded';

const LocalSchema = v.object({
  PORT: v.optional(wholeNumberText(0, 65_535, 'Use a whole number up to 65535; 0: any free port.'), '8080'),
  DEMO: v.optional(v.picklist(['on', 'off'], 'Use "on" or "off".')),
  RETRY_EVERY_SECONDS: v.optional(
    wholeNumberText(0, 86_400, 'Use a whole number up to 86400; 0: never.'),
    '5',
  ),
  INSTANCE_CONNECTION_NAME: v.optional(
    v.undefined('Unset it: use the Auth Proxy of Cloud SQL and DATABASE_URL.'),
  ),
  DATA_DIR: v.optional(v.pipe(v.string(), v.nonEmpty('Set a folder, or unset it.')), installation.dataFolder),
});

/** Reads all settings, including those of the functions. Throws one ConfigError that lists every problem. */
export function readSettings(env: NodeJS.ProcessEnv) {
  const given = {
    ...env,
    DATABASE_URL: env.DATABASE_URL || undefined,
    INSTANCE_CONNECTION_NAME: env.INSTANCE_CONNECTION_NAME || undefined,
  };
  const checked = checkAll({ local: check(LocalSchema, given), routes: readRoutes(given) });
  if (!checked.ok) throw new ConfigError(checked.problems);
  const { local, routes } = checked.value;
  return {
    port: local.PORT,
    // A database of one's own gets no events of the demo by accident.
    isDemo: (local.DEMO ?? (given.DATABASE_URL ? 'off' : 'on')) === 'on',
    retryEverySeconds: local.RETRY_EVERY_SECONDS,
    dataFolder: resolve(local.DATA_DIR),
    databaseUrl: given.DATABASE_URL,
    routes,
  };
}

function readRoutes(env: NodeJS.ProcessEnv): Checked<readonly Route[]> {
  const { INSTANCE_CONNECTION_NAME: _, DATABASE_URL = embeddedUrl, ...others } = env;
  try {
    return { ok: true, value: readConfig({ ...others, DATABASE_URL }).routes };
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, problems: error.problems };
    throw error;
  }
}
