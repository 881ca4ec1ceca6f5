import type * as pulumi from '@pulumi/pulumi';
import type { ReadConfig, WithCode } from '../dynamic-provider.ts';
import { type Ask, openGoogleApi } from '../google-api.ts';
import { changeInstance, type Instance, locate } from './change-instance.ts';

export type Inputs = WithCode<Instance & { readonly database: string }>;

async function exists(ask: Ask, inputs: Inputs): Promise<boolean> {
  return (await ask(locate(inputs, `databases/${inputs.database}`))) !== undefined;
}

/** Creates the database unless it exists. */
async function adopt(inputs: Inputs, readConfig: ReadConfig): Promise<Inputs> {
  const ask = await openGoogleApi(readConfig);
  if (await exists(ask, inputs)) return inputs;
  const { project, instance, database: name } = inputs;
  const url = locate(inputs, 'databases');
  await changeInstance(ask, inputs, { url, method: 'POST', data: { project, instance, name } });
  return inputs;
}

/** Creates or adopts the database. */
export async function create(
  inputs: Inputs,
  readConfig: ReadConfig,
): Promise<pulumi.dynamic.CreateResult<Inputs>> {
  return { id: locate(inputs, `databases/${inputs.database}`), outs: await adopt(inputs, readConfig) };
}

/** Creates the database again. */
export function update(_olds: Inputs, news: Inputs, readConfig: ReadConfig): Promise<Inputs> {
  return adopt(news, readConfig);
}

/** Reports a change if the database is gone. */
export async function diff(
  olds: Inputs,
  news: Inputs,
  readConfig: ReadConfig,
): Promise<pulumi.dynamic.DiffResult> {
  const replaces = (['project', 'instance', 'database'] as const).filter((key) => olds[key] !== news[key]);
  if (replaces.length > 0) return { changes: true, replaces };
  return { changes: !(await exists(await openGoogleApi(readConfig), news)), replaces };
}
