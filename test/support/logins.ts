import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { runOnServer } from './database.ts';

/** What PostgreSQL knows somebody as, and a URL with the password that Cloud SQL does without. */
export type Login = { readonly user: string; readonly url: string };

/** Gives a suite logins as Cloud SQL makes them, with some rights each, and takes them away afterwards. */
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
