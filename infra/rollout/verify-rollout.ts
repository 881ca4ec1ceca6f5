import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import type { Ask } from '../google-api.ts';
import { isServing, readServed } from './read-served.ts';

export type RolloutInputs = {
  /** Deployment hashes by `projects/PROJECT/locations/LOCATION/services/NAME`. */
  readonly deployments: Readonly<Record<string, string>>;
  /** How long to wait for a new revision. */
  readonly timeoutSeconds: number;
};

/** Waits until every service serves what was deployed. Throws an Error that names those that do not. */
export const rollout: DynamicKind<RolloutInputs> = {
  identify: () => 'rollout',
  hasChanged: async ({ ask }, olds, { deployments }) =>
    !isDeepStrictEqual(olds.deployments, deployments) || (await findOutdated(ask, deployments)).length > 0,
  apply: async ({ ask }, { deployments, timeoutSeconds }) => {
    const until = Date.now() + timeoutSeconds * 1000;
    for (;;) {
      const outdated = await findOutdated(ask, deployments);
      if (outdated.length === 0) return;
      if (Date.now() >= until) throw new Error(describeOutdated(outdated));
      await pause(Math.min(2_000, until - Date.now()));
    }
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
