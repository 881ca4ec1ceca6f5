import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { runOnServer } from './database.ts';

/** The name of a login, and a URL with its password. */
export type Login = { readonly user: string; readonly url: string };

/** Creates logins as Cloud SQL does, with the given rights, and drops them after the suite. */
export function useLogins(databaseUrl: () => string): (rights: string) => Promise<Login> {
  const users: string[] = [];
  after(async () => {
    for (const user of users) await runOnServer(`drop role "${user}"`);
  });
  return async (rights) => {
    const user = `dlo-${randomBytes(4).toString('hex')}@acme.iam`;
    const password = 'only-for-tests';
    await runOnServer(`create role "${user}" login password '${password}' ${rights}`);
    users.push(user);
    return { user, url: Object.assign(new URL(databaseUrl()), { username: user, password }).href };
  };
}
