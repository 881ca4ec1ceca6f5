import { setTimeout as pause } from 'node:timers/promises';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import { type Ask, cloudRunApi } from '../google-api.ts';
import { hasOtherAccess, restoreAccess, type ServiceAccess } from './restore-access.ts';

/** The variable of a function that names what was deployed: a hash of its source and its configuration. */
export const deploymentVariable = 'DEPLOYMENT_HASH';

type Service = {
  readonly latestCreatedRevision?: string;
  readonly latestReadyRevision?: string;
  readonly trafficStatuses?: readonly { readonly revision?: string; readonly percent?: number }[];
  readonly template?: {
    readonly containers?: readonly {
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    }[];
  };
};

/**
 * Returns the hash of the deployment that gets all requests of a Cloud Run service; undefined if there is none, or
 * a revision does not start or does not get all of them. A failed build leaves the service as it was. `service` is
 * `projects/PROJECT/locations/LOCATION/services/NAME`.
 */
async function readServed(ask: Ask, service: string): Promise<string | undefined> {
  const found = (await ask<Service>(`${cloudRunApi}/${service}`)) ?? {};
  const { latestCreatedRevision: latest, trafficStatuses = [], template } = found;
  // Requests to the latest revision name none.
  const isElsewhere = trafficStatuses.some(
    ({ revision, percent = 0 }) => percent > 0 && revision && !latest?.endsWith(`/${revision}`),
  );
  if (isElsewhere || found.latestReadyRevision !== latest) return undefined;
  return template?.containers?.[0]?.env?.find(({ name }) => name === deploymentVariable)?.value;
}

type ByFunction = Readonly<Record<string, string>>;

export type BuildAttemptsInputs = {
  /** `projects/PROJECT/locations/LOCATION/services/PREFIX-` */
  readonly prefix: string;
  /** Hashes of what is deployed, by function. */
  readonly deployments: ByFunction;
  /** Numbers, as text, by function. Undefined in the program. */
  readonly attempts: ByFunction | undefined;
};

/**
 * Raises the attempt where what the last update deployed is not what serves: its build or start failed. The
 * state has the values that were wanted; the attempt is a difference, for which it is built again.
 */
export const buildAttempts: DynamicKind<BuildAttemptsInputs> = {
  check: async ({ ask }, { deployments: before = {}, attempts = {} }, news) => {
    const counted = Object.entries(news.deployments).map(async ([name, deployment]) => {
      const [attempt = '1', last] = [attempts[name], before[name]];
      if (last === undefined) return [name, attempt];
      const served = await readServed(ask, news.prefix + name);
      const isRolledOut = served === last || served === deployment;
      return [name, isRolledOut ? attempt : String(Number(attempt) + 1)];
    });
    return { ...news, attempts: Object.fromEntries(await Promise.all(counted)) };
  },
  // The engine records the inputs.
  apply: async () => {},
};

type Rolled = {
  /** `projects/PROJECT/locations/LOCATION/services/NAME` */
  readonly service: string;
  /** The hash of what it has to serve. */
  readonly deployment: string;
  readonly access: ServiceAccess;
};

export type RolloutInputs = {
  readonly services: readonly Rolled[];
  /** How long to wait for a new revision. */
  readonly timeoutSeconds: number;
};

/** Waits until each service serves what was deployed, or throws an Error; then restores access. */
export const rollout: DynamicKind<RolloutInputs> = {
  hasDrifted: async ({ ask }, { services }) => {
    const compared = services.map(({ service, access }) => hasOtherAccess(ask, service, access));
    return (await Promise.all(compared)).includes(true) || (await findOutdated(ask, services)).length > 0;
  },
  apply: async ({ ask }, { services, timeoutSeconds }) => {
    const until = Date.now() + timeoutSeconds * 1000;
    for (;;) {
      const outdated = await findOutdated(ask, services);
      if (outdated.length === 0) break;
      if (Date.now() >= until) throw new Error(describeOutdated(outdated));
      await pause(Math.min(2_000, until - Date.now()));
    }
    await Promise.all(services.map(({ service, access }) => restoreAccess(ask, service, access)));
  },
};

async function findOutdated(ask: Ask, services: readonly Rolled[]): Promise<string[]> {
  const checked = services.map(async ({ service, deployment }) =>
    (await readServed(ask, service)) === deployment ? [] : [service],
  );
  return (await Promise.all(checked)).flat();
}

function describeOutdated(outdated: readonly string[]): string {
  const names = outdated.map((service) => service.split('/').at(-1)).join(', ');
  const [, project] = outdated[0]?.split('/') ?? [];
  return (
    `Not serving what was deployed: ${names}. The build failed, the new revision did not start, or requests were ` +
    'directed to another revision. Run the same command again to build it again. The reason is in the log: ' +
    `gcloud logging read 'severity>=ERROR' --project=${project} --limit=20`
  );
}
