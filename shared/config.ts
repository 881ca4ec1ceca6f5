import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { type CallerConfig, readCallers } from './caller-config.ts';
import { ConfigError, type Problem } from './errors.ts';
import { type Route, RoutesSchema } from './routes.ts';
import { type Checked, check, refuse } from './validate.ts';

/** The variables that the functions read: the one contract between `infra`, `local` and `functions`. */
export type Environment = {
  /** PostgreSQL connection string. Either this or INSTANCE_CONNECTION_NAME. */
  readonly DATABASE_URL?: string;
  /** Cloud SQL instance as `project:region:instance`: connects by the connector with IAM login. */
  readonly INSTANCE_CONNECTION_NAME?: string;
  /** With INSTANCE_CONNECTION_NAME: database name, IAM database user, PUBLIC | PRIVATE | PSC. */
  readonly DB_NAME?: string;
  readonly DB_USER?: string;
  readonly DB_IP_TYPE?: string;
  /** Connections that one instance may hold. */
  readonly DB_POOL_MAX?: string;
  /** Routes as a JSON list, or the path of a file that holds it. At most one of the two. */
  readonly ROUTES?: string;
  readonly ROUTES_FILE?: string;
  /** `false` makes every tick end at once. */
  readonly RETRY_ENABLED?: string;
  readonly BATCH_SIZE?: string;
  readonly MAX_RETRIES?: string;
  readonly TICK_BUDGET_SECONDS?: string;
  /** Topic of the continuation messages, which are pushed to `retry`. Not set: a tick has one worker. */
  readonly CONTINUE_TOPIC?: string;
  /** Seconds that a worker called by such a message may start batches in. Pub/Sub waits for 600 at most. */
  readonly CONTINUE_BUDGET_SECONDS?: string;
  /** Workers that one run may have at once, with CONTINUE_TOPIC. */
  readonly WORKERS?: string;
  /** Events that one tick claims at most; 0: no limit, a tick drains what is due. */
  readonly MAX_EVENTS_PER_TICK?: string;
  readonly LEASE_SECONDS?: string;
  /** Failures at the consumer, redeliveries included, after which an event is left to people. */
  readonly MAX_RETURNS?: string;
  /** Shared secrets, separated by commas, with one of which every capture has to be signed. Not set: none is. */
  readonly CAPTURE_SECRETS?: string;
  /** The path under which the console is reached. */
  readonly CONSOLE_PATH?: string;
  /** The most that a question of people may cost, in the planner's unit; 0: no limit. */
  readonly FILTER_COST_LIMIT?: string;
  /** How callers prove who they are: see CallerConfig. Audiences of Google ID tokens, separated by commas. */
  readonly CALLER_AUDIENCE?: string;
  readonly IAP_AUDIENCE?: string;
  /** `true` where Cloud Run asks IAM about each caller, and only there. */
  readonly CLOUD_RUN_IAM?: string;
  /** The name of whoever calls over loopback, on a machine of their own. */
  readonly LOCAL_CALLER?: string;
  /** Set by Cloud Run itself. */
  readonly K_SERVICE?: string;
};

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

export type RetryConfig = {
  readonly enabled: boolean;
  readonly batchSize: number;
  readonly maxRetries: number;
  readonly tickBudgetSeconds: number;
  readonly continueTopic: string | undefined;
  readonly continueBudgetSeconds: number;
  /** Workers that one run may have at once: 1 where there is no topic to call others by. */
  readonly workers: number;
  /** Infinity where there is no limit. */
  readonly maxEventsPerTick: number;
  readonly leaseSeconds: number;
  /** How often an event may fail at its consumer before only people take it up again. */
  readonly maxReturns: number;
};

export type Config = {
  readonly database: DatabaseConfig;
  readonly routes: readonly Route[];
  readonly retry: RetryConfig;
  /** Captures have to be signed with one of these, if there are any. */
  readonly captureSecrets: readonly string[];
  /** The path under which the console is reached, with a slash at the end. */
  readonly consoleBase: string;
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
  const pool = collect(check(env.INSTANCE_CONNECTION_NAME ? CloudSqlPoolSchema : UrlPoolSchema, env));
  const routes = collect(readRoutes(env));
  const retry = collect(check(RetrySchema, env));
  const secrets = collect(readSecrets(env));
  const callers = collect(readCallers(env));
  const cost = collect(check(CostSchema, env));
  const pages = collect(check(ConsoleSchema, env));
  const lease = check(v.pick(RetrySchema, ['LEASE_SECONDS']), env);
  if (routes && lease.ok) problems.push(...findShortLeases(env, routes, lease.value.LEASE_SECONDS));
  if (
    problems.length > 0 ||
    !database ||
    !pool ||
    !routes ||
    !retry ||
    !secrets ||
    !callers ||
    !cost ||
    !pages
  ) {
    throw new ConfigError(problems);
  }
  return {
    database: { ...database, poolMax: pool.DB_POOL_MAX },
    routes,
    retry: {
      enabled: retry.RETRY_ENABLED,
      batchSize: retry.BATCH_SIZE,
      maxRetries: retry.MAX_RETRIES,
      tickBudgetSeconds: retry.TICK_BUDGET_SECONDS,
      continueTopic: retry.CONTINUE_TOPIC,
      continueBudgetSeconds: retry.CONTINUE_BUDGET_SECONDS,
      workers: retry.CONTINUE_TOPIC === undefined ? 1 : retry.WORKERS,
      maxEventsPerTick: retry.MAX_EVENTS_PER_TICK || Number.POSITIVE_INFINITY,
      leaseSeconds: retry.LEASE_SECONDS,
      maxReturns: retry.MAX_RETURNS,
    },
    captureSecrets: secrets,
    consoleBase: pages.CONSOLE_PATH,
    callers,
    costLimit: cost.FILTER_COST_LIMIT,
  };
}

const required = (remedy: string) => v.pipe(v.string(remedy), v.nonEmpty(remedy));

const wholeNumber = (fallback: number, least: number, most: number) => {
  const remedy = `Use a whole number from ${least} to ${most}.`;
  return v.pipe(
    v.optional(v.string(), String(fallback)),
    v.regex(/^\d+$/, remedy),
    v.transform(Number),
    v.minValue(least, remedy),
    v.maxValue(most, remedy),
  );
};

const RetrySchema = v.object({
  RETRY_ENABLED: v.pipe(
    v.optional(v.picklist(['true', 'false'], 'Use "true" or "false".'), 'true'),
    v.transform((value) => value === 'true'),
  ),
  BATCH_SIZE: wholeNumber(50, 1, 1000),
  MAX_RETRIES: wholeNumber(240, 0, 10_000),
  TICK_BUDGET_SECONDS: wholeNumber(1500, 1, 3600),
  CONTINUE_TOPIC: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^projects\/[^/]+\/topics\/[^/]+$/, 'Must look like projects/PROJECT/topics/TOPIC.'),
    ),
  ),
  CONTINUE_BUDGET_SECONDS: wholeNumber(480, 1, 570),
  WORKERS: wholeNumber(4, 1, 100),
  MAX_EVENTS_PER_TICK: wholeNumber(0, 0, 1_000_000_000),
  LEASE_SECONDS: wholeNumber(300, 5, 86_400),
  MAX_RETURNS: wholeNumber(10, 1, 10_000),
});

const ConsoleSchema = v.object({
  CONSOLE_PATH: v.pipe(
    v.optional(v.string(), '/'),
    v.regex(/^\/([\w.~-]+(\/[\w.~-]+)*\/?)?$/, 'Must be a path such as / or /console.'),
    v.transform((path) => path.replace(/\/?$/, '/')),
  ),
});

const CostSchema = v.object({ FILTER_COST_LIMIT: wholeNumber(500_000, 0, 1_000_000_000) });

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

function readDatabase(env: Environment): Checked<DatabasePlace> {
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
  const isSecret = /^(DATABASE_URL|ROUTES|ROUTES_FILE)$|\.headers\b/.test(field);
  if (isSecret) return { ...problem, value: '(not shown)' };
  return typeof value === 'string' ? { ...problem, value: value.replace(/^.*@/s, '(not shown)@') } : problem;
}
