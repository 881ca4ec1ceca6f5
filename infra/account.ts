import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Settings } from './settings.ts';

/** A service account of a deployment; `uniqueId` differs if it is created again under the same name. */
export type Account = Pick<serviceaccount.Account, 'email' | 'member' | 'name' | 'uniqueId'> & {
  /** Of its grants on resources that may exist: another deployment may have both, and so the same grants. */
  readonly grantOptions?: pulumi.CustomResourceOptions;
};

/** Creates the account NAME for a purpose, unless the setting `serviceAccounts` names an existing one. */
export function openAccount(
  { project, name: prefix, serviceAccounts }: Pick<Settings, 'project' | 'name' | 'serviceAccounts'>,
  name: string,
  purpose: string,
  opts: pulumi.CustomResourceOptions,
): Account {
  const accounts: Readonly<Record<string, pulumi.Input<string>>> = serviceAccounts;
  const existing = accounts[name.slice(prefix.length + 1)];
  if (existing === undefined) {
    const displayName = `Dead Letter Office: ${purpose}`;
    return new serviceaccount.Account(`${name}-account`, { project, accountId: name, displayName }, opts);
  }
  const email = pulumi.output(existing);
  const owner = email.apply((known) => known.split('@')[1]?.split('.')[0] ?? '');
  return {
    email,
    member: pulumi.interpolate`serviceAccount:${email}`,
    name: pulumi.interpolate`projects/${owner}/serviceAccounts/${email}`,
    uniqueId: email,
    grantOptions: { retainOnDelete: true },
  };
}
