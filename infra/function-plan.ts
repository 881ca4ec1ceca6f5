import type { Settings } from './settings.ts';
import { tickSeconds, type variableOf } from './variable-settings.ts';

/** The variables that the deployment sets, beside the location of the database. */
export type FunctionVariable =
  | (typeof variableOf)[keyof typeof variableOf]
  | 'TICK_BUDGET_SECONDS'
  | 'CONTINUE_TOPIC'
  | 'CLOUD_RUN_IAM'
  | 'IAP_AUDIENCE';

export type FunctionName = 'capture' | 'signed-capture' | 'retry' | 'replay' | 'console' | 'maintain';

export type FunctionPlan = {
  readonly name: FunctionName;
  /** The export of `functions/index.ts`. */
  readonly entryPoint: string;
  readonly instances: number;
  /** Database connections of one instance. */
  readonly pool: number;
  /** Concurrent requests of one instance. */
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  readonly memory: string;
  /** ALLOW_INTERNAL_ONLY admits only Cloud Scheduler, Pub/Sub and the network of the project. */
  readonly ingress: Settings['ingress'];
  readonly variables: readonly FunctionVariable[];
  /** It delivers to the targets of routes, and may publish to their topics. */
  readonly isDelivering?: boolean;
};

/** The plan of a function that answers short requests; the others say what differs. */
const answering = {
  instances: 1,
  pool: 2,
  concurrency: 80,
  timeoutSeconds: 60,
  memory: '512Mi',
  ingress: 'ALLOW_INTERNAL_ONLY',
} as const;

const delivering = { ...answering, timeoutSeconds: tickSeconds, memory: '1Gi', isDelivering: true } as const;
const deliveryVariables = [
  'ROUTES',
  'BATCH_SIZE',
  'MAX_RETRIES',
  'MAX_LOST',
  'TICK_BUDGET_SECONDS',
  'LEASE_SECONDS',
  'WORKERS',
  'CONTINUE_TOPIC',
  'NOTIFY',
] as const;

/**
 * Memory of capture. An instance holds bodies of 3 * maxBodyBytes at most (functions/read-body.ts), at any
 * concurrency. Each of their bytes costs up to 7.3 until it is stored: 30 concurrent pushes of 9.8 MB were
 * measured at 444 MiB.
 */
function captureMemory({ maxBodyBytes }: Settings): string {
  const neededMiB = 100 + (8 * 3 * maxBodyBytes) / 2 ** 20;
  if (neededMiB <= 512) return '512Mi';
  return `${[1, 2, 4].find((gib) => neededMiB <= gib * 1024) ?? 4}Gi`;
}

/** Returns the plan of every function of the deployment. */
export function planFunctions(settings: Settings): readonly FunctionPlan[] {
  const capture = planCapture(settings);
  const signed: FunctionPlan = {
    ...capture,
    name: 'signed-capture',
    instances: 1,
    variables: ['CAPTURE_SECRETS', ...capture.variables],
  };
  return [
    capture,
    ...(settings.captureSecrets ? [signed] : []),
    planRetry(settings),
    planReplay(settings),
    planConsole(settings),
    maintain,
  ];
}

function planCapture(settings: Settings): FunctionPlan {
  return {
    ...answering,
    name: 'capture',
    entryPoint: 'capture',
    instances: settings.captureInstances,
    memory: captureMemory(settings),
    ingress: settings.ingress,
    variables: ['REPEAT_SECONDS', 'MAX_BODY_BYTES', 'NOTIFY', 'SOURCES'],
  };
}

const planRetry = ({ workers }: Settings): FunctionPlan => ({
  ...delivering,
  name: 'retry',
  entryPoint: 'retry',
  // One more than the workers: the schedule needs an instance while all workers are busy.
  instances: workers + 1,
  concurrency: 1,
  variables: [...deliveryVariables, 'MAX_EVENTS_PER_TICK'],
});

const userVariables = ['MASKS', 'FILTER_COST_LIMIT', 'CONSOLE_OPERATORS', 'CONSOLE_VIEWERS'] as const;

const planReplay = ({ ingress }: Settings): FunctionPlan => ({
  ...delivering,
  name: 'replay',
  entryPoint: 'replay',
  ingress,
  concurrency: 8,
  variables: [...deliveryVariables, ...userVariables, 'CLOUD_RUN_IAM'],
});

function planConsole({ ingress, notify, iap }: Settings): FunctionPlan {
  return {
    // Of its concurrent requests, each open page holds one for its event stream.
    ...answering,
    name: 'console',
    entryPoint: 'console',
    ingress,
    // One more connection that listens for notifications, shared by all pages.
    pool: notify ? 3 : 2,
    variables: [
      'ROUTES',
      'MAX_RETRIES',
      // readConfig rejects routes that may outlast the default lease.
      'LEASE_SECONDS',
      'CONTINUE_TOPIC',
      'NOTIFY',
      'ENVIRONMENT_NAME',
      iap ? 'IAP_AUDIENCE' : 'CLOUD_RUN_IAM',
      ...userVariables,
    ],
  };
}

const maintain: FunctionPlan = {
  ...answering,
  name: 'maintain',
  entryPoint: 'maintain',
  pool: 1,
  // Metrics are requested while the archive job runs.
  concurrency: 4,
  timeoutSeconds: tickSeconds,
  variables: [
    'ROUTES',
    'LEASE_SECONDS',
    'ARCHIVE_AFTER_DAYS',
    'ARCHIVE_UNDECIDED_AFTER_DAYS',
    'SOURCE_RETENTION_DAYS',
    'RETAIN_MONTHS',
    'EXPORT_BUCKET',
    'OPEN_WARN_DAYS',
    'GROUP_RULES',
    'NOTIFY',
  ],
};

/** Returns the group role of migrations/017_roles.sql that is granted to the login of a function. */
export function databaseRoleOf({ entryPoint }: FunctionPlan): string {
  return `dlq_${entryPoint}`;
}
