import * as pulumi from '@pulumi/pulumi';
import { dynamicProvider, locateCode } from '../dynamic-provider.ts';

export type SqlDatabaseArgs = {
  readonly project: pulumi.Input<string>;
  readonly instance: pulumi.Input<string>;
  readonly database: pulumi.Input<string>;
};

/**
 * A database on an instance of Cloud SQL. One that exists is adopted, as after a removal, which keeps it with its events:
 * the provider's own resource fails in that case.
 */
export class SqlDatabase extends pulumi.dynamic.Resource {
  declare readonly database: pulumi.Output<string>;

  constructor(name: string, args: SqlDatabaseArgs, opts?: pulumi.CustomResourceOptions) {
    const code = locateCode(import.meta.dirname, 'adopt-database');
    super(dynamicProvider, name, { ...args, code }, opts, 'dead-letter-office', 'SqlDatabase');
  }
}
