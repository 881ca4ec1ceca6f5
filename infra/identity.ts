import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Database } from './database.ts';
import { DatabaseLogin } from './database-login.ts';

export type IdentityArgs = {
  readonly project: string;
  readonly displayName: string;
  /** Database for its login, and resources to wait for: Cloud SQL creates one login at a time. */
  readonly login?: { readonly database: Database; readonly after: readonly pulumi.Resource[] } | undefined;
};

/** The service account of one function, with a database login. */
export class Identity extends pulumi.ComponentResource {
  readonly email: pulumi.Output<string>;
  /** `serviceAccount:EMAIL` */
  readonly member: pulumi.Output<string>;
  /** Undefined if the database is not on Cloud SQL. */
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
