import type * as pulumi from '@pulumi/pulumi';
import { Component } from './component.ts';
import type { Database } from './database.ts';
import { DatabaseLogin } from './database-login.ts';
import { databaseRoleOf, type FunctionName, planFunctions } from './function-plan.ts';
import { Identity } from './identity.ts';
import type { Settings } from './settings.ts';

export type IdentitiesArgs = { readonly settings: Settings; readonly database: Database | undefined };

/** The identities of a deployment: the deployer, and one service account for each function. */
export class Identities extends Component {
  /** The login that migrates; undefined if the database is not on Cloud SQL. */
  readonly deployer: DatabaseLogin | undefined;
  /** PostgreSQL users by the group role that each gets. */
  readonly logins: Readonly<Record<string, readonly pulumi.Output<string>[]>>;
  readonly #byFunction = new Map<FunctionName, Identity>();

  constructor(name: string, { settings, database }: IdentitiesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Identities', name, opts);
    const { project, name: prefix, deployer: member } = settings;
    this.deployer =
      database &&
      new DatabaseLogin(
        `${prefix}-deployer`,
        { database, member, roles: ['cloudsqlsuperuser'], isAdministrator: true, after: [database] },
        { parent: this },
      );
    const logins: Record<string, pulumi.Output<string>[]> = {};
    let before = this.deployer;
    for (const plan of planFunctions(settings)) {
      const login = database && { database, after: before ? [before] : [] };
      const displayName = `Dead Letter Office: ${plan.name}`;
      const args = { project, displayName, login };
      const identity = new Identity(`${prefix}-${plan.name}`, args, { parent: this });
      this.#byFunction.set(plan.name, identity);
      before = identity.login;
      const role = databaseRoleOf(plan);
      if (identity.login) logins[role] = [...(logins[role] ?? []), identity.login.user];
    }
    this.logins = logins;
  }

  /** Throws if the plan has no function of this name. */
  get(name: FunctionName): Identity {
    const found = this.#byFunction.get(name);
    if (!found) throw new Error(`No service account for ${name}.`);
    return found;
  }
}
