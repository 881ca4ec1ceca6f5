import type { SourceRecord } from '../capture/sources/source.ts';
import type { Route } from '../delivery/routes.ts';
import { ConfigError, type Problem } from '../errors.ts';
import { BodyLimitSchema } from './body-limit.ts';
import { type CallerConfig, readCallers } from './callers.ts';
import { readCaptureSecrets } from './capture-secrets.ts';
import { type ConsoleConfig, readConsole } from './console.ts';
import { type DatabaseConfig, readDatabase } from './database.ts';
import type { Environment } from './environment.ts';
import { FilterCostSchema } from './filter-cost.ts';
import { type RetentionConfig, RetentionSchema } from './retention.ts';
import { type RetryConfig, readLeaseSeconds, readRetry } from './retry.ts';
import { findShortLeases, readMasks, readRoutes } from './routes.ts';
import { readSources } from './sources.ts';
import type { Checked } from './validate.ts';
import { readSettings } from './variable.ts';

export type Config = {
  readonly database: DatabaseConfig;
  readonly routes: readonly Route[];
  /** Paths that console and API hide in all events. */
  readonly masks: readonly string[];
  readonly retry: RetryConfig;
  readonly retention: RetentionConfig;
  /** Secrets with one of which a capture must be signed; empty: captures are not signed. */
  readonly captureSecrets: readonly string[];
  /** How the messages of senders are read. */
  readonly sources: readonly SourceRecord[];
  /** Maximum bytes of the body of a request. */
  readonly maxBodyBytes: number;
  readonly console: ConsoleConfig;
  /** The Google Cloud project, if it is known. */
  readonly project: string | undefined;
  readonly callers: CallerConfig;
  /** Maximum planner cost of a query from the console or the API; 0: no limit. */
  readonly costLimit: number;
};

/** Reads the whole configuration from the environment. Throws a ConfigError with every problem in it. */
export function readConfig(env: Environment): Config {
  const problems: Problem[] = [];
  const collect = <T>(result: Checked<T>) => {
    if (result.ok) return result.value;
    problems.push(...result.problems.map(hideSecrets));
    return undefined;
  };
  const database = collect(readDatabase(env));
  const routes = collect(readRoutes(env));
  const masks = collect(readMasks(env));
  const retry = collect(readRetry(env));
  const retention = collect(readSettings(RetentionSchema, env));
  const captureSecrets = collect(readCaptureSecrets(env));
  const sources = collect(readSources(env));
  const bodyLimit = collect(readSettings(BodyLimitSchema, env));
  const callers = collect(readCallers(env));
  const pages = collect(readConsole(env));
  const filterCost = collect(readSettings(FilterCostSchema, env));
  const leaseSeconds = readLeaseSeconds(env);
  if (routes && leaseSeconds) problems.push(...findShortLeases(env, routes, leaseSeconds));
  const isComplete =
    database &&
    routes &&
    masks &&
    retry &&
    retention &&
    captureSecrets &&
    sources &&
    bodyLimit &&
    callers &&
    pages &&
    filterCost;
  if (problems.length > 0 || !isComplete) throw new ConfigError(problems);
  const { filterCostLimit: costLimit } = filterCost;
  const { maxBodyBytes } = bodyLimit;
  return {
    database,
    routes,
    masks,
    retry,
    retention,
    captureSecrets,
    sources,
    maxBodyBytes,
    callers,
    console: pages,
    project: env.GOOGLE_CLOUD_PROJECT,
    costLimit,
  };
}

/** Replaces values that may contain passwords or tokens: problems are logged. */
function hideSecrets(problem: Problem): Problem {
  const { field, value } = problem;
  if (value === undefined) return problem;
  const isSecret = /^(ROUTES|ROUTES_FILE|SOURCES|SOURCES_FILE)$|\.headers\b|\.secret$/.test(field);
  if (isSecret) return { ...problem, value: '(not shown)' };
  return typeof value === 'string' ? { ...problem, value: value.replace(/^.*@/s, '(not shown)@') } : problem;
}
