import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import type { Logins } from '../../migrations/deploy-schema.ts';
import type { CloudSqlPlace } from '../../shared/database-place.ts';
import type { Inputs } from './apply-schema.ts';
import { hashMigrations } from './hash-migrations.ts';
import { provider } from './provider.ts';

/** On Cloud SQL `user` logs in with the credentials of whoever runs `pulumi up`; elsewhere a URL says who does. */
export type MigrationsArgs = (
  | { readonly [Field in Exclude<keyof CloudSqlPlace, 'kind'>]: pulumi.Input<CloudSqlPlace[Field]> }
  | { readonly url: pulumi.Input<string> }
) & {
  /** Logins by group role; they have to exist by then. */
  readonly logins?: pulumi.Input<Logins>;
  /** Where the migrations are, if not where ours are. */
  readonly folder?: string;
};

const ours = path.resolve(import.meta.dirname, '../../migrations');

/** The schema of a database. What needs it is to depend on it: where a migration fails, the update ends here. */
export class Migrations extends pulumi.dynamic.Resource {
  /** The migrations that the last update applied. */
  declare readonly applied: pulumi.Output<readonly string[]>;

  constructor(name: string, args: MigrationsArgs, opts?: pulumi.CustomResourceOptions) {
    const { folder = ours } = args;
    const inputs: pulumi.Inputs & { [Field in keyof Inputs]: unknown } = {
      place: toPlace(args),
      logins: args.logins ?? {},
      migrations: hashMigrations(folder),
      folder: path.relative('', folder),
      code: path.relative('', path.join(import.meta.dirname, 'apply-schema.ts')),
    };
    super(provider, name, { ...inputs, applied: undefined }, opts, 'dead-letter-office', 'Migrations');
  }
}

/** A URL may have a password in it, which is then kept encrypted, as Pulumi keeps its secrets. */
function toPlace(args: MigrationsArgs): pulumi.Inputs {
  if ('url' in args) return { kind: 'url', url: pulumi.secret(args.url) };
  const { instance, database, user, ipType } = args;
  return { kind: 'cloud-sql', instance, database, user, ipType };
}
