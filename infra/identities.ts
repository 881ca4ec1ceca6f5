import * as projects from '@pulumi/gcp/projects/index.js';
import * as pulumi from '@pulumi/pulumi';
import { type Account, openAccount } from './account.ts';
import type { SqlUser } from './cloud-sql.ts';
import { Component } from './component.ts';
import type { Database } from './database.ts';
import { type FunctionName, planFunctions } from './function-plan.ts';
import { slugOf } from './members.ts';
import type { Settings } from './settings.ts';

export type IdentitiesArgs = { readonly settings: Settings; readonly database: Database | undefined };

/** One service account for each function, and the IAM logins of the database, none with a password. */
export class Identities extends Component {
  /** The logins: the deployer, each function, and people who read. */
  readonly users: pulumi.Output<SqlUser>[] = [];
  /** PostgreSQL users by the group role of migrations/017_roles.sql that each gets. */
  readonly logins: Record<string, pulumi.Output<string>[]> = {};
  readonly #byFunction = new Map<FunctionName, Account>();

  constructor(name: string, { settings, database }: IdentitiesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Identities', name, opts);
    const { name: prefix, deployer, readers } = settings;
    if (database) this.users.push(toUser(deployer, ['cloudsqlsuperuser']));
    for (const plan of planFunctions(settings)) {
      const own = `${prefix}-${plan.name}`;
      const account = openAccount(settings, own, plan.name, { parent: this });
      this.#byFunction.set(plan.name, account);
      if (database) this.#logIn(`${own}-login`, account.member, `dlq_${plan.entryPoint}`, database);
    }
    if (!database) return;
    for (const reader of readers) {
      const own = `${prefix}-${slugOf(reader)}-reads`;
      this.#logIn(own, reader, 'dlq_readonly', database, `readers of ${prefix}`);
    }
  }

  /** Throws if the plan has no function of this name. */
  get(name: FunctionName): Account {
    const found = this.#byFunction.get(name);
    if (!found) throw new Error(`No service account for ${name}.`);
    return found;
  }

  /**
   * The deployer has `roles/cloudsql.admin` already, and gets no grant: deployments of one project would share
   * it, and removing one would revoke it for all. `group` makes the grants of people distinct for that reason.
   */
  #logIn(name: string, member: pulumi.Input<string>, role: string, database: Database, group = ''): void {
    const user = toUser(member);
    this.users.push(user);
    this.logins[role] = [...(this.logins[role] ?? []), user.name];
    const { instanceProject: project, instance } = database;
    const grants = {
      connects: {
        role: 'roles/cloudsql.client',
        condition: {
          title: group ? `${group}: this instance only` : 'this instance only',
          expression: pulumi.interpolate`resource.type == "sqladmin.googleapis.com/Instance" && resource.name == "projects/${project}/instances/${instance}"`,
        },
      },
      // No condition: the check of a login names no instance. It admits only to instances with this user.
      'logs-in': {
        role: 'roles/cloudsql.instanceUser',
        ...(group && { condition: { title: group, expression: always } }),
      },
    };
    for (const [what, grant] of Object.entries(grants)) {
      new projects.IAMMember(`${name}-${what}`, { project, member, ...grant }, { parent: this });
    }
  }
}

/** True for every request: a condition makes a grant another one than the same grant of others. */
const always = 'request.time > timestamp("2020-01-01T00:00:00Z")';

const types: Readonly<Record<string, SqlUser['type']>> = {
  serviceAccount: 'CLOUD_IAM_SERVICE_ACCOUNT',
  group: 'CLOUD_IAM_GROUP',
};

function toUser(member: pulumi.Input<string>, databaseRoles?: readonly string[]): pulumi.Output<SqlUser> {
  return pulumi.output(member).apply((known) => {
    const [kind = '', address = ''] = known.split(':');
    const name = address.replace(/\.gserviceaccount\.com$/, '');
    return { name, type: types[kind] ?? 'CLOUD_IAM_USER', ...(databaseRoles && { databaseRoles }) };
  });
}
