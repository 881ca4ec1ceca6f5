import * as projects from '@pulumi/gcp/projects/index.js';
import * as pulumi from '@pulumi/pulumi';
import { Component } from './component.ts';
import type { Database } from './database.ts';
import { SqlUser } from './dynamic/dynamic-resources.ts';

export type DatabaseLoginArgs = {
  readonly database: Database;
  /** `user:...` or `serviceAccount:...` */
  readonly member: pulumi.Input<string>;
  /** Cloud SQL roles; roles of the schema are granted by the migrations. */
  readonly roles?: readonly string[];
  /**
   * It has `roles/cloudsql.admin` already, and gets no grant: deployments of one project would share it, and
   * removing one would revoke it for all.
   */
  readonly isAdministrator?: boolean;
  /**
   * Resources that must exist before the database user. IAM grants do not wait: they take a minute to apply.
   */
  readonly after: readonly pulumi.Resource[];
};

/** An IAM login to the database, without a password and without privileges in the schema. */
export class DatabaseLogin extends Component {
  /** The name of the PostgreSQL user. */
  readonly user: pulumi.Output<string>;

  constructor(name: string, args: DatabaseLoginArgs, opts?: pulumi.ComponentResourceOptions) {
    super('DatabaseLogin', name, opts);
    const { instanceProject: project, instance } = args.database;
    const member = pulumi.output(args.member);
    const user = new SqlUser(
      `${name}-user`,
      {
        project,
        instance,
        user: member.apply(toUser),
        type: member.apply(toUserType),
        roles: args.roles ?? [],
      },
      { parent: this, dependsOn: [...args.after] },
    );
    this.user = user.user;
    if (args.isAdministrator) return;
    this.make(projects.IAMMember, 'connects', {
      project,
      role: 'roles/cloudsql.client',
      member,
      condition: {
        title: 'this instance only',
        expression: pulumi.interpolate`resource.type == "sqladmin.googleapis.com/Instance" && resource.name == "projects/${project}/instances/${instance}"`,
      },
    });
    // No condition: the permission check for a login names no instance. It admits only to instances with this
    // user.
    this.make(projects.IAMMember, 'logs-in', { project, role: 'roles/cloudsql.instanceUser', member });
  }
}

function toUser(member: string): string {
  return member.replace(/^[^:]+:/, '').replace(/\.gserviceaccount\.com$/, '');
}

function toUserType(member: string): 'CLOUD_IAM_SERVICE_ACCOUNT' | 'CLOUD_IAM_USER' {
  return member.startsWith('serviceAccount:') ? 'CLOUD_IAM_SERVICE_ACCOUNT' : 'CLOUD_IAM_USER';
}
