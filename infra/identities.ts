import * as projects from '@pulumi/gcp/projects/index.js';
import * as pulumi from '@pulumi/pulumi';
import { openAccount } from './account.ts';
import type { SqlUser } from './cloud-sql.ts';
import type { Database } from './database.ts';
import { type Deployment, ownCondition } from './deployment.ts';
import { planFunctions } from './function-plan.ts';

/** An IAM login of the database. */
type Login = {
  readonly name: string;
  readonly member: pulumi.Input<string>;
  /** The group role of migrations/017_roles.sql that it gets. */
  readonly role: string;
};

export type Identities = ReturnType<typeof makeIdentities>;

/** Makes one service account for each function, and the IAM logins of the database, none with a password. */
export function makeIdentities(deployment: Deployment, database: Database | undefined) {
  const { deployer, readers } = deployment.settings;
  const functions = planFunctions(deployment.settings).map((plan) => {
    return { plan, account: openAccount(deployment, plan.name, plan.name) };
  });
  const logins: readonly Login[] = [
    ...functions.map(({ plan, account: { member } }) => {
      return { name: `${plan.name}-login`, member, role: `dlq_${plan.entryPoint}` };
    }),
    ...readers.map((member) => ({ name: `${member}-reads`, member, role: 'dlq_readonly' })),
  ];
  return {
    functions,
    /** The permissions to log in. */
    grants: database ? logins.flatMap((login) => grantLogin(deployment, database, login)) : [],
    /** The deployer, each function, and people who read. */
    users: [toUser(deployer, ['cloudsqlsuperuser']), ...logins.map(({ member }) => toUser(member))],
    /** PostgreSQL users by group role. */
    logins: Object.fromEntries(
      [...Map.groupBy(logins, ({ role }) => role)].map(([role, held]) => {
        return [role, held.map(({ member }) => toUser(member).name)];
      }),
    ),
  };
}

/**
 * Allows a login. The deployer has `roles/cloudsql.admin` already, and gets no grant: deployments of one
 * project would share it, and removing one would revoke it for all.
 */
function grantLogin(
  { settings, make }: Deployment,
  { instanceProject: project, instance }: Database,
  { name, member }: Login,
): pulumi.Resource[] {
  const isInstance = pulumi.interpolate`resource.type == "sqladmin.googleapis.com/Instance" && resource.name == "projects/${project}/instances/${instance}"`;
  const grants = {
    connects: {
      role: 'roles/cloudsql.client',
      condition: ownCondition(settings.name, 'this instance only', isInstance),
    },
    // On any instance: the check of a login names none. It admits only to instances with this user.
    'logs-in': { role: 'roles/cloudsql.instanceUser', condition: ownCondition(settings.name, 'logs in') },
  };
  return Object.entries(grants).map(([what, grant]) =>
    make(projects.IAMMember, `${name}-${what}`, { project, member, ...grant }),
  );
}

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
