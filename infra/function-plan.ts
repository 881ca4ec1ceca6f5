import type { Settings } from './settings.ts';
import { tickSeconds } from './tick-seconds.ts';
import type { variableOf } from './variable-settings.ts';

/** The variables that the deployment sets, beside the location of the database. */
export type FunctionVariable =
  | (typeof variableOf)[keyof typeof variableOf]
  | 'TICK_BUDGET_SECONDS'
  | 'CONTINUE_TOPIC'
  | 'CLOUD_RUN_IAM';

export type FunctionName = 'capture' | 'signed-capture' | 'retry' | 'replay' | 'console' | 'maintain';

export type FunctionPlan = {
  readonly name: FunctionName;
  /** The export of `functions/index.ts`. */
  readonly entryPoint: string;
  /** Group role of migrations/011_roles.sql that is granted to its login. */
  readonly databaseRole: string;
  readonly instances: number;
  /** Database connections of one instance. */
  readonly pool: number;
  /** Concurrent requests of one instance. */
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  readonly memory: string;
  /** ALLOW_INTERNAL_ONLY admits only Cloud Scheduler, Pub/Sub and the network of the project. */
  readonly ingress: 'ALLOW_ALL' | 'ALLOW_INTERNAL_ONLY';
  readonly variables: readonly FunctionVariable[];
  /** It delivers to the targets of routes, and may publish to their topics. */
  readonly isDelivering?: boolean;
};

/** Returns the plan of every function of the deployment. */
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
          variables: ['CAPTURE_SECRETS', 'MAX_RECURRENCES', 'NOTIFY'],
        },
      ]
    : [];
  return [
    { ...capture, name: 'capture', instances: captureInstances, variables: ['MAX_RECURRENCES', 'NOTIFY'] },
    ...signed,
    {
      name: 'retry',
      entryPoint: 'retry',
      databaseRole: 'dlq_retry',
      // One more than the workers: the schedule needs an instance while all workers are busy.
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
        'MAX_RECURRENCES',
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
        'MAX_RECURRENCES',
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
      // One more connection that listens for notifications, shared by all pages.
      pool: settings.notify ? 3 : 2,
      // Each open page holds one request for its event stream.
      concurrency: 80,
      timeoutSeconds: 60,
      memory: '512Mi',
      ingress: 'ALLOW_ALL',
      // LEASE_SECONDS: readConfig rejects routes that may outlast the default lease.
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
      // Metrics are requested while the archive job runs.
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
