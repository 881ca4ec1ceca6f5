import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import type { Logins } from '../../migrations/deploy-schema.ts';
import type { CloudSqlLocation } from '../../shared/config/database-location.ts';
import { dynamicProvider, locateCode } from '../dynamic-provider.ts';
import type { Inputs } from './apply-schema.ts';

/** On Cloud SQL `user` logs in with the credentials that run `pulumi up`; elsewhere the URL contains the login. */
export type MigrationsArgs = (
  | { readonly [Field in Exclude<keyof CloudSqlLocation, 'kind'>]: pulumi.Input<CloudSqlLocation[Field]> }
  | { readonly url: pulumi.Input<string> }
) & {
  /** Existing logins by group role. */
  readonly logins?: pulumi.Input<Logins>;
  /** Folder of the migrations; default: `migrations/` of this repository. */
  readonly folder?: string;
};

const ours = path.resolve(import.meta.dirname, '../../migrations');

/** The schema of a database. Resources that need it must depend on it: a failed migration ends the update. */
export class Migrations extends pulumi.dynamic.Resource {
  /** The migrations that the last update applied. */
  declare readonly applied: pulumi.Output<readonly string[]>;

  constructor(name: string, args: MigrationsArgs, opts?: pulumi.CustomResourceOptions) {
    const { folder = ours } = args;
    const inputs: pulumi.Inputs & { [Field in keyof Inputs]: unknown } = {
      location: toLocation(args),
      logins: args.logins ?? {},
      migrations: hashMigrations(folder),
      folder: path.relative('', folder),
      code: locateCode(import.meta.dirname, 'apply-schema'),
    };
    super(dynamicProvider, name, { ...inputs, applied: undefined }, opts, 'dead-letter-office', 'Migrations');
  }
}

/** A URL is stored as a Pulumi secret: it may contain a password. */
function toLocation(args: MigrationsArgs): pulumi.Inputs {
  if ('url' in args) return { kind: 'url', url: pulumi.secret(args.url) };
  const { instance, database, user, ipType } = args;
  return { kind: 'cloud-sql', instance, database, user, ipType };
}

/** Returns the SHA-256 of every SQL file in a folder of migrations, by file. */
function hashMigrations(folder: string): Record<string, string> {
  const files = globSync(['[0-9][0-9][0-9]_*.sql', 'deploy/*.sql'], { cwd: folder }).sort();
  const hash = (file: string) =>
    createHash('sha256')
      .update(readFileSync(path.join(folder, file)))
      .digest('hex');
  return Object.fromEntries(files.map((file) => [file.replaceAll(path.sep, '/'), hash(file)]));
}
