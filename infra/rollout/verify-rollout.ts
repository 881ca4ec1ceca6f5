import { setTimeout as pause } from 'node:timers/promises';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import { type Ask, cloudRunApi, find } from '../google-api.ts';
import { listAccessChanges, type ServiceAccess } from './restore-access.ts';

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
  const found = (await find<Service>(ask, `${cloudRunApi}/${service}`)) ?? {};
  const { latestCreatedRevision: latest, trafficStatuses = [], template } = found;
  // Requests to the latest revision name none.
  const isElsewhere = trafficStatuses.some(
    ({ revision, percent = 0 }) => percent > 0 && revision && !latest?.endsWith(`/${revision}`),
  );
  if (isElsewhere || found.latestReadyRevision !== latest) return undefined;
  return template?.containers?.[0]?.env?.find(({ name }) => name === deploymentVariable)?.value;
}

export type BuildAttemptsInputs = {
  /** `projects/PROJECT/locations/LOCATION/services/PREFIX-` */
  readonly prefix: string;
  /** Hashes of what is deployed, by function. */
  readonly deployments: Readonly<Record<string, string>>;
};

/**
 * Names each function that does not serve what the last update deployed: its build or start failed. The state
 * has the values that were wanted; the attempt is a difference, for which the function is built again.
 */
export const buildAttempts: DynamicKind<BuildAttemptsInputs> = {
  findFailed: async ({ ask }, { deployments, prefix }, { deployments: before }) => {
    const compared = Object.entries(deployments).map(async ([name, deployment]) => {
      if (before[name] === undefined) return [];
      const served = await readServed(ask, prefix + name);
      return served === before[name] || served === deployment ? [] : [name];
    });
    return (await Promise.all(compared)).flat();
  },
  // The engine records the attempts.
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
  findFailed: async ({ ask }, { services }) => {
    const compared = services.map(async ({ service, access }) => {
      const changes = await listAccessChanges(ask, service, access);
      return changes.length > 0 ? [service] : [];
    });
    return [...(await Promise.all(compared)).flat(), ...(await findOutdated(ask, services))];
  },
  apply: async ({ ask }, { services, timeoutSeconds }) => {
    const until = Date.now() + timeoutSeconds * 1000;
    for (;;) {
      const outdated = await findOutdated(ask, services);
      if (outdated.length === 0) break;
      if (Date.now() >= until) throw new Error(describeOutdated(outdated));
      await pause(Math.min(2_000, until - Date.now()));
    }
    for (const { service, access } of services) {
      for (const change of await listAccessChanges(ask, service, access)) await change();
    }
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
