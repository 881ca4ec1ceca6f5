import * as pulumi from '@pulumi/pulumi';
import type { FunctionName as EntryPoint } from '../shared/config/setting.ts';
import { namedVariables, type VariableName } from '../shared/environment/environment.ts';
import { toAddresses } from './members.ts';
import { isKnown } from './setting-schemas.ts';
import type { Settings } from './settings.ts';
import { stackSettings, tickSeconds } from './stack-settings.ts';

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
};

/** Returns the plan of every function of the deployment. */
export function planFunctions(settings: Settings): readonly FunctionPlan[] {
  const { ingress, captureInstances, captureSecrets, workers, notify, iap } = settings;
  const capturing = { ingress, memory: captureMemory(settings) };
  const signed = planFunction('capture', { ...capturing, name: 'signed-capture' });
  return [
    planFunction('capture', { ...capturing, instances: captureInstances }, 'CAPTURE_SECRETS'),
    ...(captureSecrets ? [signed] : []),
    // One more than the workers: the schedule needs an instance while all workers are busy.
    planFunction('retry', { ...large, instances: workers + 1, concurrency: 1 }),
    // A long export takes as long as a tick.
    planFunction('replay', { ...large, ingress, concurrency: 8 }),
    // Of its concurrent requests, each open page holds one for its event stream. One more connection, shared
    // by all pages, listens for notifications.
    planFunction('console', { ingress, pool: notify ? 3 : 2 }, iap ? 'CLOUD_RUN_IAM' : 'IAP_AUDIENCE'),
    // Metrics are requested while the archive job runs.
    planFunction('maintain', { pool: 1, concurrency: 4, timeoutSeconds: tickSeconds }),
  ];
}

const large = { timeoutSeconds: tickSeconds, memory: '1Gi' };

/** The plan of a function that answers short requests, except for what differs. */
function planFunction(
  entryPoint: EntryPoint,
  differing: Partial<FunctionPlan>,
  withheld?: VariableName,
): FunctionPlan {
  return {
    name: entryPoint,
    entryPoint,
    instances: 1,
    pool: 2,
    concurrency: 80,
    timeoutSeconds: 60,
    memory: '512Mi',
    ingress: 'ALLOW_INTERNAL_ONLY',
    variables: namedVariables.flatMap(([variable, { readBy }]) =>
      readBy.includes(entryPoint) && variable !== withheld ? [variable] : [],
    ),
    ...differing,
  };
}

/**
 * Memory of capture. An instance holds bodies of 3 * maxBodyBytes at most (functions/read-body.ts). Each byte
 * costs up to 7.3 until it is stored: 30 concurrent pushes of 9.8 MB took 444 MiB.
 */
function captureMemory({ maxBodyBytes }: Settings): string {
  const neededMiB = 100 + (8 * 3 * maxBodyBytes) / 2 ** 20;
  if (neededMiB <= 512) return '512Mi';
  return `${[1, 2, 4].find((gib) => neededMiB <= gib * 1024) ?? 4}Gi`;
}

/** Minimum seconds for a tick to settle the events that it has claimed before the function times out. */
const settleSeconds = 300;

/** The sources that say how their messages are read. */
function listReadings({ sources }: Settings): object[] {
  return sources.flatMap((source) =>
    source.kind === 'caller' && source.reads ? [{ name: source.name, ...source.reads }] : [],
  );
}

type Variables = Readonly<Partial<Record<VariableName, pulumi.Input<string>>>>;

/** The text of a setting, an output only if the setting is one. */
function writeSetting(value: unknown, format: (known: unknown) => string): pulumi.Input<string> {
  return isKnown(value) ? format(value) : pulumi.all([value]).apply(([known]) => format(known));
}

/** Converts the settings to variables of the functions, except those that depend on created resources. */
export function toVariables(settings: Settings): Variables {
  const values: Readonly<Record<string, unknown>> = settings;
  const readings = listReadings(settings);
  const passed = stackSettings.map(({ name, variable }) => [variable, writeSetting(values[name], String)]);
  return {
    ...Object.fromEntries(passed),
    ROUTES: writeSetting(settings.routes, JSON.stringify),
    GROUP_RULES: JSON.stringify(settings.groupRules),
    MASKS: settings.masks.join(),
    SOURCES: readings.length > 0 ? JSON.stringify(readings) : '',
    CONSOLE_OPERATORS: toAddresses(settings.operators),
    CONSOLE_VIEWERS: toAddresses(settings.viewers),
    TICK_BUDGET_SECONDS: String(tickSeconds - Math.max(settleSeconds, settings.leaseSeconds)),
  };
}
