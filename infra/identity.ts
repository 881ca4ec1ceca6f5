import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { Component } from './component.ts';
import type { Database } from './database.ts';
import { DatabaseLogin } from './database-login.ts';

export type IdentityArgs = {
  readonly project: string;
  readonly displayName: string;
  /** Database for its login, and resources to wait for: Cloud SQL creates one login at a time. */
  readonly login?: { readonly database: Database; readonly after: readonly pulumi.Resource[] } | undefined;
};

/** The service account of one function, with a database login. */
export class Identity extends Component {
  readonly email: pulumi.Output<string>;
  /** `serviceAccount:EMAIL` */
  readonly member: pulumi.Output<string>;
  /** Differs for an account that is created again under the same name. */
  readonly uniqueId: pulumi.Output<string>;
  /** Undefined if the database is not on Cloud SQL. */
  readonly login: DatabaseLogin | undefined;

  constructor(name: string, args: IdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Identity', name, opts);
    const { project, displayName, login } = args;
    const account = this.make(serviceaccount.Account, 'account', { project, accountId: name, displayName });
    this.email = account.email;
    this.member = account.member;
    this.uniqueId = account.uniqueId;
    this.login = login && this.make(DatabaseLogin, 'login', { ...login, member: this.member });
  }
}
