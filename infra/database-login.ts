import * as projects from '@pulumi/gcp/projects/index.js';
import * as sql from '@pulumi/gcp/sql/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Database } from './database.ts';

export type DatabaseLoginArgs = {
  readonly database: Database;
  /** `user:...` or `serviceAccount:...` */
  readonly member: pulumi.Input<string>;
  /** Roles of Cloud SQL's own; others are granted in the database. */
  readonly roles?: readonly string[];
  /** Until these are there the user is not made; who may connect at all is settled at once, and takes a minute. */
  readonly after: readonly pulumi.Resource[];
};

/** Lets somebody into the database as themselves, without a password, where it has no right to anything yet. */
export class DatabaseLogin extends pulumi.ComponentResource {
  /** What PostgreSQL calls them. */
  readonly user: pulumi.Output<string>;

  constructor(name: string, args: DatabaseLoginArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:DatabaseLogin', name, {}, opts);
    const { database } = args;
    const member = pulumi.output(args.member);
    const user = new sql.User(
      `${name}-user`,
      {
        project: database.instanceProject,
        instance: database.instance,
        name: member.apply(toUser),
        type: member.apply(toUserType),
        ...(args.roles && { databaseRoles: [...args.roles] }),
        // PostgreSQL does not drop a user who has been granted anything.
        deletionPolicy: 'ABANDON',
      },
      { parent: this, dependsOn: [...args.after] },
    );
    new projects.IAMMember(
      `${name}-connects`,
      {
        project: database.instanceProject,
        role: 'roles/cloudsql.client',
        member,
        condition: {
          title: 'this instance only',
          expression: pulumi.interpolate`resource.type == "sqladmin.googleapis.com/Instance" && resource.name == "projects/${database.instanceProject}/instances/${database.instance}"`,
        },
      },
      { parent: this },
    );
    // A login is asked for without a name that a condition could see. It opens only what has a user of this name.
    new projects.IAMMember(
      `${name}-logs-in`,
      { project: database.instanceProject, role: 'roles/cloudsql.instanceUser', member },
      { parent: this },
    );
    this.user = user.name;
    this.registerOutputs({ user: this.user });
  }
}

function toUser(member: string): string {
  return member.replace(/^[^:]+:/, '').replace(/\.gserviceaccount\.com$/, '');
}

function toUserType(member: string): string {
  return member.startsWith('serviceAccount:') ? 'CLOUD_IAM_SERVICE_ACCOUNT' : 'CLOUD_IAM_USER';
}
