import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type * as pulumi from '@pulumi/pulumi';
import type { ReadConfig, WithCode } from '../dynamic-provider.ts';
import { type Ask, openGoogleApi } from '../google-api.ts';
import { isServing, readServed } from './read-served.ts';

export type Inputs = WithCode<{
  /** Deployment hashes by `projects/PROJECT/locations/LOCATION/services/NAME`. */
  readonly deployments: Readonly<Record<string, string>>;
  /** How long to wait for a new revision. */
  readonly timeoutSeconds: number;
}>;

/** Waits until every service serves what was deployed. Throws an Error that names those that do not. */
async function verify(inputs: Inputs, readConfig: ReadConfig): Promise<Inputs> {
  const { deployments, timeoutSeconds } = inputs;
  const ask = await openGoogleApi(readConfig);
  const until = Date.now() + timeoutSeconds * 1000;
  for (;;) {
    const outdated = await findOutdated(ask, deployments);
    if (outdated.length === 0) return inputs;
    if (Date.now() >= until) throw new Error(describe(outdated));
    await pause(Math.min(2_000, until - Date.now()));
  }
}

async function findOutdated(ask: Ask, deployments: Inputs['deployments']): Promise<string[]> {
  const checked = Object.entries(deployments).map(async ([service, deployment]) =>
    isServing(await readServed(ask, service), deployment) ? [] : [service],
  );
  return (await Promise.all(checked)).flat();
}

function describe(outdated: readonly string[]): string {
  const names = outdated.map((service) => service.split('/').at(-1)).join(', ');
  const [, project] = outdated[0]?.split('/') ?? [];
  return (
    `Not serving what was deployed: ${names}. The build failed, the new revision did not start, or requests were ` +
    'directed to another revision. Run the same command again to build it again. The reason is in the log: ' +
    `gcloud logging read 'severity>=ERROR' --project=${project} --limit=20`
  );
}

/** Reports a change if what serves is not what was deployed, so that the update verifies it again. */
export async function diff(
  olds: Inputs,
  news: Inputs,
  readConfig: ReadConfig,
): Promise<pulumi.dynamic.DiffResult> {
  if (!isDeepStrictEqual(olds.deployments, news.deployments)) return { changes: true, replaces: [] };
  const outdated = await findOutdated(await openGoogleApi(readConfig), news.deployments);
  return { changes: outdated.length > 0, replaces: [] };
}

/** Verifies the first deployment. */
export async function create(
  inputs: Inputs,
  readConfig: ReadConfig,
): Promise<pulumi.dynamic.CreateResult<Inputs>> {
  return { id: 'rollout', outs: await verify(inputs, readConfig) };
}

/** Verifies a later deployment. */
export function update(_olds: Inputs, news: Inputs, readConfig: ReadConfig): Promise<Inputs> {
  return verify(news, readConfig);
}
