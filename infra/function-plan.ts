import type { Environment } from '../shared/environment.ts';
import type { Settings } from './settings.ts';

/** What a function can be told beside where its database is. What is not among these is left out on purpose. */
export type OfficeVariable = keyof Pick<
  Environment,
  | 'ROUTES'
  | 'CAPTURE_SECRETS'
  | 'BATCH_SIZE'
  | 'MAX_RETRIES'
  | 'MAX_RETURNS'
  | 'MAX_EVENTS_PER_TICK'
  | 'TICK_BUDGET_SECONDS'
  | 'LEASE_SECONDS'
  | 'WORKERS'
  | 'CONTINUE_TOPIC'
  | 'ARCHIVE_AFTER_DAYS'
  | 'SOURCE_RETENTION_DAYS'
  | 'RETAIN_MONTHS'
  | 'EXPORT_BUCKET'
  | 'OPEN_WARN_DAYS'
  | 'FILTER_COST_LIMIT'
  | 'NOTIFY'
  | 'CLOUD_RUN_IAM'
  | 'CONSOLE_OPERATORS'
  | 'CONSOLE_VIEWERS'
>;

export type FunctionName = 'capture' | 'signed-capture' | 'retry' | 'replay' | 'console' | 'maintain';

export type FunctionPlan = {
  readonly name: FunctionName;
  /** The export of `functions/index.ts`. */
  readonly entryPoint: string;
  /** The group role of migrations/004_roles.sql that its login gets. */
  readonly databaseRole: string;
  readonly instances: number;
  /** Connections of one instance. */
  readonly pool: number;
  /** Requests at once in one instance. */
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  readonly memory: string;
  /** Internal: only Scheduler, Pub/Sub and the project's own network get as far as being asked who they are. */
  readonly ingress: 'ALLOW_ALL' | 'ALLOW_INTERNAL_ONLY';
  readonly variables: readonly OfficeVariable[];
  /** It publishes to the topics that routes name. */
  readonly isDelivering?: boolean;
};

/** The longest that Scheduler waits for an answer, and a tick may take. */
export const tickSeconds = 1800;

/** Every function of the office: the one list of them. */
export function planFunctions(settings: Settings): readonly FunctionPlan[] {
  const { captureInstances, workers, captureSecrets } = settings;
  const capture = {
    entryPoint: 'capture',
    databaseRole: 'dlq_capture',
    pool: 2,
    concurrency: 80,
    timeoutSeconds: 60,
    memory: '512Mi',
    ingress: 'ALLOW_ALL',
  } as const;
  const signed: FunctionPlan[] = captureSecrets
    ? [
        {
          ...capture,
          name: 'signed-capture',
          instances: 1,
          variables: ['CAPTURE_SECRETS', 'MAX_RETURNS', 'NOTIFY'],
        },
      ]
    : [];
  return [
    { ...capture, name: 'capture', instances: captureInstances, variables: ['MAX_RETURNS', 'NOTIFY'] },
    ...signed,
    {
      name: 'retry',
      entryPoint: 'retry',
      databaseRole: 'dlq_retry',
      // One beside the workers, so that the schedule is answered while they are busy.
      instances: workers + 1,
      pool: 2,
      concurrency: 1,
      timeoutSeconds: tickSeconds,
      memory: '1Gi',
      ingress: 'ALLOW_INTERNAL_ONLY',
      variables: [
        'ROUTES',
        'BATCH_SIZE',
        'MAX_RETRIES',
        'MAX_RETURNS',
        'MAX_EVENTS_PER_TICK',
        'TICK_BUDGET_SECONDS',
        'LEASE_SECONDS',
        'WORKERS',
        'CONTINUE_TOPIC',
        'NOTIFY',
      ],
      isDelivering: true,
    },
    {
      name: 'replay',
      entryPoint: 'replay',
      databaseRole: 'dlq_replay',
      instances: 1,
      pool: 2,
      concurrency: 8,
      timeoutSeconds: tickSeconds,
      memory: '1Gi',
      ingress: 'ALLOW_ALL',
      variables: [
        'ROUTES',
        'BATCH_SIZE',
        'MAX_RETRIES',
        'MAX_RETURNS',
        'TICK_BUDGET_SECONDS',
        'LEASE_SECONDS',
        'WORKERS',
        'CONTINUE_TOPIC',
        'FILTER_COST_LIMIT',
        'NOTIFY',
        'CLOUD_RUN_IAM',
      ],
      isDelivering: true,
    },
    {
      name: 'console',
      entryPoint: 'console',
      databaseRole: 'dlq_console',
      instances: 1,
      // One more to listen on, for all who look.
      pool: settings.notify ? 3 : 2,
      // Each open page holds a request where it is told the news.
      concurrency: 80,
      timeoutSeconds: 60,
      memory: '512Mi',
      ingress: 'ALLOW_ALL',
      // The lease, as a route that may outlast it would keep the console from starting.
      variables: [
        'ROUTES',
        'MAX_RETRIES',
        'LEASE_SECONDS',
        'CONTINUE_TOPIC',
        'FILTER_COST_LIMIT',
        'NOTIFY',
        'CLOUD_RUN_IAM',
        'CONSOLE_OPERATORS',
        'CONSOLE_VIEWERS',
      ],
    },
    {
      name: 'maintain',
      entryPoint: 'maintain',
      databaseRole: 'dlq_maintain',
      instances: 1,
      pool: 1,
      // The figures are asked for while the archive is at work.
      concurrency: 4,
      timeoutSeconds: tickSeconds,
      memory: '512Mi',
      ingress: 'ALLOW_INTERNAL_ONLY',
      variables: [
        'ROUTES',
        'LEASE_SECONDS',
        'ARCHIVE_AFTER_DAYS',
        'SOURCE_RETENTION_DAYS',
        'RETAIN_MONTHS',
        'EXPORT_BUCKET',
        'OPEN_WARN_DAYS',
        'NOTIFY',
      ],
    },
  ];
}
