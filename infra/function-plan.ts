import type { FunctionName as EntryPoint } from '../shared/config/setting.ts';
import type { VariableName } from '../shared/environment/environment.ts';
import type { Settings } from './settings.ts';
import { listVariables, tickSeconds } from './stack-settings.ts';

export type FunctionName = EntryPoint | 'signed-capture';

export type FunctionPlan = {
  readonly name: FunctionName;
  /** The export of `functions/index.ts`. */
  readonly entryPoint: EntryPoint;
  readonly instances: number;
  /** Database connections of one instance. */
  readonly pool: number;
  /** Concurrent requests of one instance. */
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  readonly memory: string;
  /** ALLOW_INTERNAL_ONLY admits only Cloud Scheduler, Pub/Sub and the network of the project. */
  readonly ingress: Settings['ingress'];
  readonly variables: readonly VariableName[];
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
    variables: listVariables('capture'),
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
    variables: listVariables('capture').filter((each) => each !== 'CAPTURE_SECRETS'),
  };
}

const planRetry = ({ workers }: Settings): FunctionPlan => ({
  ...delivering,
  name: 'retry',
  entryPoint: 'retry',
  // One more than the workers: the schedule needs an instance while all workers are busy.
  instances: workers + 1,
  concurrency: 1,
  variables: listVariables('retry'),
});

const planReplay = ({ ingress }: Settings): FunctionPlan => ({
  ...delivering,
  name: 'replay',
  entryPoint: 'replay',
  ingress,
  concurrency: 8,
  variables: listVariables('replay'),
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
    variables: listVariables('console').filter((each) => each !== (iap ? 'CLOUD_RUN_IAM' : 'IAP_AUDIENCE')),
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
  variables: listVariables('maintain'),
};

/** Returns the group role of migrations/017_roles.sql that is granted to the login of a function. */
export function databaseRoleOf({ entryPoint }: FunctionPlan): string {
  return `dlq_${entryPoint}`;
}
