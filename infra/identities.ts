import * as pulumi from '@pulumi/pulumi';
import type { Database } from './database.ts';
import { DatabaseLogin } from './database-login.ts';
import { type FunctionName, planFunctions } from './function-plan.ts';
import { Identity } from './identity.ts';
import type { Settings } from './settings.ts';

export type IdentitiesArgs = { readonly settings: Settings; readonly database: Database | undefined };

/** Who works in an office: the deployer, and somebody for each function. */
export class Identities extends pulumi.ComponentResource {
  /** Who migrates; nobody where the database is not on Cloud SQL. */
  readonly deployer: DatabaseLogin | undefined;
  /** What they are called in PostgreSQL, by the role that each is to have. */
  readonly logins: Readonly<Record<string, readonly pulumi.Output<string>[]>>;
  readonly #byFunction = new Map<FunctionName, Identity>();

  constructor(name: string, { settings, database }: IdentitiesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Identities', name, {}, opts);
    const { project, name: office, deployer: member } = settings;
    this.deployer =
      database &&
      new DatabaseLogin(
        `${office}-deployer`,
        { database, member, roles: ['cloudsqlsuperuser'], after: [database] },
        { parent: this },
      );
    const logins: Record<string, pulumi.Output<string>[]> = {};
    let before = this.deployer;
    for (const plan of planFunctions(settings)) {
      const login = database && { database, after: before ? [before] : [] };
      const displayName = `Dead Letter Office: ${plan.name}`;
      const identity = new Identity(
        `${office}-${plan.name}`,
        { project, displayName, login },
        { parent: this },
      );
      this.#byFunction.set(plan.name, identity);
      before = identity.login;
      if (identity.login)
        logins[plan.databaseRole] = [...(logins[plan.databaseRole] ?? []), identity.login.user];
    }
    this.logins = logins;
    this.registerOutputs({});
  }

  /** Throws where the plan has no function of this name. */
  get(name: FunctionName): Identity {
    const found = this.#byFunction.get(name);
    if (!found) throw new Error(`Nobody is there for ${name}.`);
    return found;
  }
}
