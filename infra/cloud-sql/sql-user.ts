import * as pulumi from '@pulumi/pulumi';
import { dynamicProvider, locateCode } from '../dynamic-provider.ts';

export type SqlUserArgs = {
  readonly project: pulumi.Input<string>;
  readonly instance: pulumi.Input<string>;
  readonly user: pulumi.Input<string>;
  readonly type: pulumi.Input<string>;
  /** Roles of Cloud SQL. */
  readonly roles: readonly string[];
};

/**
 * An IAM login of an instance of Cloud SQL. One that exists is adopted: the login of a former deployer, or of one that has
 * another deployment on the instance. It is kept when it is removed, since PostgreSQL does not drop a user with privileges.
 */
export class SqlUser extends pulumi.dynamic.Resource {
  declare readonly user: pulumi.Output<string>;

  constructor(name: string, args: SqlUserArgs, opts?: pulumi.CustomResourceOptions) {
    const code = locateCode(import.meta.dirname, 'adopt-user');
    super(dynamicProvider, name, { ...args, code }, opts, 'dead-letter-office', 'SqlUser');
  }
}
