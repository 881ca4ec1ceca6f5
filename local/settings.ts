import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { readConfig } from '../shared/config.ts';
import { ConfigError, type Problem } from '../shared/errors.ts';
import type { Route } from '../shared/routes.ts';
import { type Checked, check, refuse } from '../shared/validate.ts';

/** What `npm start` goes by. Without `databaseUrl` the office runs a PostgreSQL of its own in `dataFolder`. */
export type Settings = {
  readonly port: number;
  readonly isDemo: boolean;
  readonly retryEverySeconds: number;
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
  readonly routes: readonly Route[];
};

export const repositoryFolder = join(import.meta.dirname, '..');

/** Stands in for the embedded database's address, which is known only later, when the rest is checked. */
const embeddedUrl = 'postgres://embedded';

const wholeNumber = (fallback: number, most: number, remedy: string) =>
  v.pipe(
    v.optional(v.string(), String(fallback)),
    v.regex(/^\d+$/, remedy),
    v.transform(Number),
    v.maxValue(most, remedy),
  );

const LocalSchema = v.object({
  PORT: wholeNumber(8080, 65_535, 'Use a whole number from 1 to 65535, or 0 for any free port.'),
  DEMO: v.optional(v.picklist(['on', 'off'], 'Use "on" or "off".'), 'on'),
  RETRY_EVERY_SECONDS: wholeNumber(5, 86_400, 'Use a whole number of seconds up to 86400; 0 means never.'),
  DATA_DIR: v.optional(v.string(), join(repositoryFolder, '.data')),
});

/** Reads all settings, those of the functions included, or throws one ConfigError with every problem in them. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const local = check(LocalSchema, given);
  const routes = readRoutes(given);
  const problems = [...listProblems(local), ...refuseCloudSql(given), ...listProblems(routes)];
  if (!local.ok || !routes.ok || problems.length > 0) throw new ConfigError(problems);
  return {
    port: local.value.PORT,
    isDemo: local.value.DEMO === 'on',
    retryEverySeconds: local.value.RETRY_EVERY_SECONDS,
    dataFolder: resolve(local.value.DATA_DIR),
    databaseUrl: given.DATABASE_URL,
    routes: routes.value,
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

function refuseCloudSql({ INSTANCE_CONNECTION_NAME: instance }: NodeJS.ProcessEnv): readonly Problem[] {
  if (instance === undefined) return [];
  const remedy =
    'Unset it. To open a local office on Cloud SQL, run the Cloud SQL Auth Proxy and set DATABASE_URL.';
  return listProblems(refuse('INSTANCE_CONNECTION_NAME', instance, remedy));
}

function listProblems(checked: Checked<unknown>): readonly Problem[] {
  return checked.ok ? [] : checked.problems;
}
