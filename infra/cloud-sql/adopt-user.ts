import type * as pulumi from '@pulumi/pulumi';
import type { ReadConfig, WithCode } from '../dynamic-provider.ts';
import { type Ask, openGoogleApi } from '../google-api.ts';
import { changeInstance, type Instance, locate } from './change-instance.ts';

export type Inputs = WithCode<
  Instance & {
    readonly user: string;
    readonly type: 'CLOUD_IAM_USER' | 'CLOUD_IAM_SERVICE_ACCOUNT';
    /** Roles of Cloud SQL. */
    readonly roles: readonly string[];
  }
>;

type User = { readonly name: string; readonly databaseRoles?: readonly string[] };

async function find(ask: Ask, inputs: Inputs): Promise<User | undefined> {
  const { items = [] } = (await ask<{ items?: readonly User[] }>(locate(inputs, 'users'))) ?? {};
  return items.find(({ name }) => name === inputs.user);
}

/** Creates the login unless it exists, and grants it the roles that it lacks. */
async function adopt(inputs: Inputs, readConfig: ReadConfig): Promise<Inputs> {
  const { project, instance, user: name, type, roles } = inputs;
  const ask = await openGoogleApi(readConfig);
  const found = await find(ask, inputs);
  const url = locate(inputs, 'users');
  if (!found) {
    const data = { project, instance, name, type, ...(roles.length > 0 && { databaseRoles: roles }) };
    await changeInstance(ask, inputs, { url, method: 'POST', data });
    return inputs;
  }
  const missing = roles.filter((role) => !found.databaseRoles?.includes(role));
  if (missing.length === 0) return inputs;
  const query = new URLSearchParams({ name });
  for (const role of missing) query.append('databaseRoles', role);
  await changeInstance(ask, inputs, { url: `${url}?${query}`, method: 'PUT', data: { name, type } });
  return inputs;
}

/** Creates or adopts the login. */
export async function create(
  inputs: Inputs,
  readConfig: ReadConfig,
): Promise<pulumi.dynamic.CreateResult<Inputs>> {
  return { id: locate(inputs, `users/${inputs.user}`), outs: await adopt(inputs, readConfig) };
}

/** Creates the login again, or grants it its roles. */
export function update(_olds: Inputs, news: Inputs, readConfig: ReadConfig): Promise<Inputs> {
  return adopt(news, readConfig);
}

/** Reports a change if the login is gone, or if its roles in the program changed. */
export async function diff(
  olds: Inputs,
  news: Inputs,
  readConfig: ReadConfig,
): Promise<pulumi.dynamic.DiffResult> {
  const replaces = (['project', 'instance', 'user', 'type'] as const).filter(
    (key) => olds[key] !== news[key],
  );
  if (replaces.length > 0) return { changes: true, replaces };
  const hasOtherRoles = olds.roles.join() !== news.roles.join();
  return {
    changes: hasOtherRoles || (await find(await openGoogleApi(readConfig), news)) === undefined,
    replaces,
  };
}
