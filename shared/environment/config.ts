import { readCallers } from '../config/callers.ts';
import { consoleSettings } from '../config/console.ts';
import { readDatabase } from '../config/database.ts';
import { limitSettings } from '../config/limits.ts';
import { retentionSettings } from '../config/retention.ts';
import { readRetry } from '../config/retry.ts';
import { readSettings } from '../config/setting.ts';
import { checkAll } from '../config/validate.ts';
import { ConfigError, type Problem } from '../errors.ts';
import { type Environment, isInSecret, secretVariables } from './environment.ts';
import { checkLeases, readRoutes, routeSettings } from './routes.ts';
import { readSources } from './sources.ts';

export type Config = ReturnType<typeof readConfig>;

/** Reads the whole configuration from the environment. Throws a ConfigError with every problem in it. */
export function readConfig(env: Environment) {
  const routes = readRoutes(env);
  const checked = checkAll({
    database: readDatabase(env),
    routes,
    retry: readRetry(env),
    retention: readSettings(retentionSettings, env),
    /** How the messages of senders are read. */
    sources: readSources(env),
    others: readSettings({ ...limitSettings, MASKS: routeSettings.MASKS }, env),
    callers: readCallers(env),
    console: readSettings(consoleSettings, env),
    leases: checkLeases(env, routes),
  });
  if (!checked.ok) throw new ConfigError(checked.problems.map(hideSecrets));
  const { others, leases: _, ...named } = checked.value;
  return { ...named, ...others };
}

/** Replaces values that may contain passwords or tokens: problems are logged. */
function hideSecrets(problem: Problem): Problem {
  const { value } = problem;
  if (value === undefined) return problem;
  if (isInSecret(problem, secretVariables)) return { ...problem, value: '(not shown)' };
  return typeof value === 'string' ? { ...problem, value: value.replace(/^.*@/s, '(not shown)@') } : problem;
}
