import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import type { Ask } from '../google-api.ts';
import { isServing, readServed } from './read-served.ts';
import { hasOtherAccess, restoreAccess, type ServiceAccess } from './restore-access.ts';

/** By `projects/PROJECT/locations/LOCATION/services/NAME`. */
type ByService<Value> = Readonly<Record<string, Value>>;

export type RolloutInputs = {
  /** Hashes of what each service has to serve. */
  readonly deployments: ByService<string>;
  readonly access: ByService<ServiceAccess>;
  /** How long to wait for a new revision. */
  readonly timeoutSeconds: number;
};

/**
 * Waits until every service serves what was deployed, and lets its callers call it. Throws an Error that names
 * those that do not serve it.
 */
export const rollout: DynamicKind<RolloutInputs> = {
  identify: () => 'rollout',
  hasChanged: async ({ ask }, olds, { deployments, access }) => {
    // A text stands for what a preview does not know yet.
    if (typeof deployments !== 'object' || typeof access !== 'object') return true;
    const compared = Object.entries(access).map(([service, wanted]) => hasOtherAccess(ask, service, wanted));
    return (
      (await Promise.all(compared)).includes(true) ||
      !isDeepStrictEqual([olds.deployments, olds.access], [deployments, access]) ||
      (await findOutdated(ask, deployments)).length > 0
    );
  },
  apply: async ({ ask }, { deployments, access, timeoutSeconds }) => {
    const until = Date.now() + timeoutSeconds * 1000;
    for (;;) {
      const outdated = await findOutdated(ask, deployments);
      if (outdated.length === 0) break;
      if (Date.now() >= until) throw new Error(describeOutdated(outdated));
      await pause(Math.min(2_000, until - Date.now()));
    }
    await Promise.all(Object.entries(access).map(([service, wanted]) => restoreAccess(ask, service, wanted)));
  },
};

async function findOutdated(ask: Ask, deployments: RolloutInputs['deployments']): Promise<string[]> {
  const checked = Object.entries(deployments).map(async ([service, deployment]) =>
    isServing(await readServed(ask, service), deployment) ? [] : [service],
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
