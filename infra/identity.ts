import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Database } from './database.ts';
import { DatabaseLogin } from './database-login.ts';

export type IdentityArgs = {
  readonly project: string;
  readonly displayName: string;
  /** Where it logs in, if it does; an instance makes one login at a time, so that each waits for others. */
  readonly login?: { readonly database: Database; readonly after: readonly pulumi.Resource[] } | undefined;
};

/** Somebody for a function to be: a service account of its own, called like the function, that may log in as itself. */
export class Identity extends pulumi.ComponentResource {
  readonly email: pulumi.Output<string>;
  /** As IAM knows it. */
  readonly member: pulumi.Output<string>;
  /** As PostgreSQL knows it. */
  readonly login: DatabaseLogin | undefined;

  constructor(
    name: string,
    { project, displayName, login }: IdentityArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('dead-letter-office:gcp:Identity', name, {}, opts);
    const account = new serviceaccount.Account(
      `${name}-account`,
      { project, accountId: name, displayName },
      { parent: this },
    );
    this.email = account.email;
    this.member = account.member;
    this.login =
      login && new DatabaseLogin(`${name}-login`, { ...login, member: this.member }, { parent: this });
    this.registerOutputs({});
  }
}
