import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { type CallerConfig, readCallers } from './caller-config.ts';
import { type ConsoleConfig, readConsole } from './console-config.ts';
import { type DatabaseConfig, readDatabase } from './database-config.ts';
import type { Environment } from './environment.ts';
import { ConfigError, type Problem } from './errors.ts';
import { type RetentionConfig, readRetention } from './retention-config.ts';
import { type RetryConfig, readLeaseSeconds, readRetry } from './retry-config.ts';
import { type Route, RoutesSchema } from './routes.ts';
import { type Checked, check, refuse } from './validate.ts';
import { wholeNumber } from './whole-number.ts';

export type Config = {
  readonly database: DatabaseConfig;
  readonly routes: readonly Route[];
  readonly retry: RetryConfig;
  readonly retention: RetentionConfig;
  /** Captures have to be signed with one of these, if there are any. */
  readonly captureSecrets: readonly string[];
  readonly console: ConsoleConfig;
  readonly callers: CallerConfig;
  /** The most that the planner may expect a question to cost; 0: no limit. */
  readonly costLimit: number;
};

/** Reads the whole configuration from the environment, or throws a ConfigError with every problem in it. */
export function readConfig(env: Environment): Config {
  const problems: Problem[] = [];
  const collect = <T>(result: Checked<T>) => {
    if (result.ok) return result.value;
    problems.push(...result.problems.map(hideSecrets));
    return undefined;
  };
  const database = collect(readDatabase(env));
  const routes = collect(readRoutes(env));
  const retry = collect(readRetry(env));
  const retention = collect(readRetention(env));
  const captureSecrets = collect(readSecrets(env));
  const callers = collect(readCallers(env));
  const pages = collect(readConsole(env));
  const questions = collect(check(QuestionsSchema, env));
  const leaseSeconds = readLeaseSeconds(env);
  if (routes && leaseSeconds) problems.push(...findShortLeases(env, routes, leaseSeconds));
  const isWhole = database && routes && retry && retention && captureSecrets && callers && pages && questions;
  if (problems.length > 0 || !isWhole) throw new ConfigError(problems);
  const { FILTER_COST_LIMIT: costLimit } = questions;
  return { database, routes, retry, retention, captureSecrets, callers, console: pages, costLimit };
}

const QuestionsSchema = v.object({ FILTER_COST_LIMIT: wholeNumber(500_000, 0, 1_000_000_000) });

function readRoutes(env: Environment): Checked<readonly Route[]> {
  if (env.ROUTES && env.ROUTES_FILE) {
    return refuse('ROUTES_FILE', env.ROUTES_FILE, 'Set either ROUTES or ROUTES_FILE, not both.');
  }
  const field = nameRoutes(env);
  try {
    const json = env.ROUTES_FILE ? readFileSync(env.ROUTES_FILE, 'utf8') : env.ROUTES || '[]';
    return check(RoutesSchema, JSON.parse(json), field);
  } catch (error) {
    // Of broken JSON the message quotes a piece, which may be of a secret.
    const reason = (error instanceof Error ? error.message : String(error)).replace(/, (\.{3})?".*/s, '');
    return refuse(field, env[field], `Must be a JSON list of routes: ${reason}.`);
  }
}

function readSecrets({ CAPTURE_SECRETS: text }: Environment): Checked<readonly string[]> {
  const secrets = text ? text.split(',') : [];
  const isWeak = secrets.some((secret) => secret.trim().length < 16);
  if (!isWeak) return { ok: true, value: secrets.map((secret) => secret.trim()) };
  return refuse('CAPTURE_SECRETS', '(set, not shown)', 'Each secret needs at least 16 characters.');
}

/** A delivery that may outlast its lease could be made twice at once, so such a pair is refused. */
function findShortLeases(env: Environment, routes: readonly Route[], leaseSeconds: number): Problem[] {
  return routes.flatMap(({ policy }, index) =>
    policy.timeoutSeconds <= leaseSeconds - 1
      ? []
      : [
          {
            field: `${nameRoutes(env)}[${index}].policy.timeoutSeconds`,
            value: policy.timeoutSeconds,
            remedy: `Must be a second shorter than LEASE_SECONDS (${leaseSeconds}): lower it, or raise LEASE_SECONDS.`,
          },
        ],
  );
}

function nameRoutes(env: Environment): 'ROUTES' | 'ROUTES_FILE' {
  return env.ROUTES_FILE ? 'ROUTES_FILE' : 'ROUTES';
}

/** Problems are logged, and passwords and tokens must not be: in URLs, in headers, or in what could not be read. */
function hideSecrets(problem: Problem): Problem {
  const { field, value } = problem;
  if (value === undefined) return problem;
  const isSecret = /^(ROUTES|ROUTES_FILE)$|\.headers\b/.test(field);
  if (isSecret) return { ...problem, value: '(not shown)' };
  return typeof value === 'string' ? { ...problem, value: value.replace(/^.*@/s, '(not shown)@') } : problem;
}
