import * as v from 'valibot';
import { readCallers } from '../config/callers.ts';
import { consoleSettings } from '../config/console.ts';
import { readDatabase } from '../config/database.ts';
import { limitSettings } from '../config/limits.ts';
import { retentionSettings } from '../config/retention.ts';
import { readRetry, retrySettings } from '../config/retry.ts';
import { readSettings } from '../config/setting.ts';
import type { Checked } from '../config/validate.ts';
import { ConfigError, type Problem } from '../errors.ts';
import { type Environment, isInSecret, secretVariables } from './environment.ts';
import { findShortLeases, readRoutes, routeSettings } from './routes.ts';
import { readSources } from './sources.ts';

/** The reader of each part of the configuration. */
const readers = {
  database: readDatabase,
  routes: readRoutes,
  retry: readRetry,
  retention: (env: Environment) => readSettings(retentionSettings, env),
  /** How the messages of senders are read. */
  sources: readSources,
  others: (env: Environment) => readSettings({ ...limitSettings, MASKS: routeSettings.MASKS }, env),
  callers: readCallers,
  console: (env: Environment) => readSettings(consoleSettings, env),
};

type Parts = { readonly [Name in keyof typeof readers]: Part<(typeof readers)[Name]> };
type Part<Read> = Read extends (env: Environment) => Checked<infer Value> ? Value : never;

export type Config = Omit<Parts, 'others'> & Parts['others'];

/** Reads the whole configuration from the environment. Throws a ConfigError with every problem in it. */
export function readConfig(env: Environment): Config {
  const problems: Problem[] = [];
  const read = Object.entries(readers).flatMap(([name, reader]) => {
    const part: Checked<unknown> = reader(env);
    if (part.ok) return [[name, part.value]];
    problems.push(...part.problems.map(hideSecrets));
    return [];
  });
  const parts: Partial<Parts> = Object.fromEntries(read);
  // Alone, whatever problems other settings of retry have.
  const lease = v.safeParse(retrySettings.LEASE_SECONDS.schema, env.LEASE_SECONDS);
  if (parts.routes && lease.success) problems.push(...findShortLeases(env, parts.routes, lease.output));
  if (problems.length > 0) throw new ConfigError(problems);
  const { others, ...named } = parts as Parts;
  return { ...named, ...others };
}

/** Replaces values that may contain passwords or tokens: problems are logged. */
function hideSecrets(problem: Problem): Problem {
  const { value } = problem;
  if (value === undefined) return problem;
  if (isInSecret(problem, secretVariables)) return { ...problem, value: '(not shown)' };
  return typeof value === 'string' ? { ...problem, value: value.replace(/^.*@/s, '(not shown)@') } : problem;
}
