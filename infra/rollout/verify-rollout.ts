import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import type { Ask } from '../google-api.ts';
import { isServing, readServed } from './read-served.ts';
import { hasOtherAccess, restoreAccess, type ServiceAccess } from './restore-access.ts';

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

/**
 * Waits until every service serves what was deployed, and lets its callers call it. Throws an Error that names
 * those that do not serve it.
 */
export const rollout: DynamicKind<RolloutInputs> = {
  hasChanged: async ({ ask }, olds, { services }) => {
    const compared = services.map(({ service, access }) => hasOtherAccess(ask, service, access));
    return (
      (await Promise.all(compared)).includes(true) ||
      !isDeepStrictEqual(olds.services, services) ||
      (await findOutdated(ask, services)).length > 0
    );
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
