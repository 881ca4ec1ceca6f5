import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Deployment } from './deployment.ts';

/** A service account of a deployment; `uniqueId` differs if it is created again under the same name. */
export type Account = Pick<serviceaccount.Account, 'email' | 'member' | 'name' | 'uniqueId'> & {
  /** Of its grants on resources that may exist: another deployment may have both, and so the same grants. */
  readonly grantOptions?: pulumi.CustomResourceOptions;
};

/** Creates an account for a purpose, unless the setting `serviceAccounts` names an existing one. */
export function openAccount({ settings, make }: Deployment, name: string, purpose: string): Account {
  const { project, name: prefix } = settings;
  const accounts: Readonly<Record<string, pulumi.Input<string>>> = settings.serviceAccounts;
  const existing = accounts[name];
  if (existing === undefined) {
    const displayName = `Dead Letter Office: ${purpose}`;
    const args = { project, accountId: `${prefix}-${name}`, displayName };
    return make(serviceaccount.Account, `${name}-account`, args);
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
