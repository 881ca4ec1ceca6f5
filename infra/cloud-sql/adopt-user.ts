import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import type { Ask } from '../google-api.ts';
import { changeInstance, type Instance, locate } from './change-instance.ts';

export type SqlUserInputs = Instance & {
  readonly user: string;
  readonly type: 'CLOUD_IAM_USER' | 'CLOUD_IAM_SERVICE_ACCOUNT';
  /** Roles of Cloud SQL. */
  readonly roles: readonly string[];
};

type User = { readonly name: string; readonly databaseRoles?: readonly string[] };

/** Creates a login unless it exists, and grants it the roles that it lacks. */
export const sqlUser: DynamicKind<SqlUserInputs> = {
  replaces: ['project', 'instance', 'user', 'type'],
  identify: (inputs) => locate(inputs, `users/${inputs.user}`),
  hasChanged: async ({ ask }, olds, news) =>
    olds.roles.join() !== news.roles.join() || (await find(ask, news)) === undefined,
  apply: async ({ ask }, inputs) => {
    const { project, instance, user: name, type, roles } = inputs;
    const found = await find(ask, inputs);
    const url = locate(inputs, 'users');
    if (!found) {
      const data = { project, instance, name, type, ...(roles.length > 0 && { databaseRoles: roles }) };
      return changeInstance(ask, inputs, { url, method: 'POST', data });
    }
    const missing = roles.filter((role) => !found.databaseRoles?.includes(role));
    if (missing.length === 0) return;
    const query = new URLSearchParams({ name });
    for (const role of missing) query.append('databaseRoles', role);
    await changeInstance(ask, inputs, { url: `${url}?${query}`, method: 'PUT', data: { name, type } });
  },
};

async function find(ask: Ask, inputs: SqlUserInputs): Promise<User | undefined> {
  const { items = [] } = (await ask<{ items?: readonly User[] }>(locate(inputs, 'users'))) ?? {};
  return items.find(({ name }) => name === inputs.user);
}
