import type * as pulumi from '@pulumi/pulumi';
import type { ReadConfig, WithCode } from '../dynamic-provider.ts';
import { openGoogleApi } from '../google-api.ts';
import { isServing, readServed } from './read-served.ts';

export type Inputs = WithCode<{
  /** `projects/PROJECT/locations/LOCATION/services/NAME` */
  readonly service: string;
  /** Hash of what is deployed. */
  readonly deployment: string;
  /** A number, as text. */
  readonly attempt?: string;
}>;

/** Raises the attempt if what the last update deployed is not what serves: its build or its start failed. */
export async function check(olds: Partial<Inputs>, news: Inputs, readConfig: ReadConfig): Promise<Inputs> {
  const { service, deployment, attempt = '1' } = olds;
  if (service === undefined || deployment === undefined) return { ...news, attempt };
  const served = await readServed(await openGoogleApi(readConfig), service);
  const isRolledOut = isServing(served, deployment) || isServing(served, news.deployment);
  return { ...news, attempt: isRolledOut ? attempt : String(Number(attempt) + 1) };
}

/** Compares all inputs but the path of this module. */
export async function diff(olds: Inputs, news: Inputs): Promise<pulumi.dynamic.DiffResult> {
  const fields = ['service', 'deployment', 'attempt'] as const;
  return { changes: fields.some((field) => olds[field] !== news[field]), replaces: [] };
}

/** Records the first attempt. */
export async function create(inputs: Inputs): Promise<pulumi.dynamic.CreateResult<Inputs>> {
  return { id: inputs.service, outs: inputs };
}

/** Records the deployment and its attempt. */
export async function update(_olds: Inputs, news: Inputs): Promise<Inputs> {
  return news;
}
