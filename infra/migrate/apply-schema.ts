import { isDeepStrictEqual } from 'node:util';
import type * as pulumi from '@pulumi/pulumi';
import { selectCredentials } from '../../migrations/credentials.ts';
import { deploySchema, type Logins } from '../../migrations/deploy-schema.ts';
import type { DatabaseLocation } from '../../shared/config/database-location.ts';
import type { ReadConfig, WithCode } from '../dynamic-provider.ts';

/** The inputs in Pulumi's state. Paths are relative to the folder of the program, so they are equal on every machine. */
export type Inputs = WithCode<{
  readonly location: DatabaseLocation;
  readonly logins: Logins;
  /** Hashes by file. */
  readonly migrations: Readonly<Record<string, string>>;
  readonly folder: string;
}>;

export type Applied = Inputs & { readonly id: string; readonly applied: readonly string[] };

/** Time for a new login, or a new role of the deployer, to become known: Google Cloud needs up to several minutes. */
const timeoutSeconds = 300;

/** Migrates the schema. A failure fails the stack update, and resources that depend on the schema stay unchanged. */
async function applySchema(inputs: Inputs, readConfig: ReadConfig): Promise<Applied> {
  const { location, logins, folder } = inputs;
  // Those of the provider: the account that creates the resources migrates the schema.
  const credentials = selectCredentials(process.env, readConfig);
  const options = location.kind === 'cloud-sql' ? { timeoutSeconds, credentials } : {};
  const applied = await deploySchema(location, { logins, folder, ...options });
  return { ...inputs, id: identify(location), applied };
}

/** Creates the schema. */
export async function create(
  inputs: Inputs,
  readConfig: ReadConfig,
): Promise<pulumi.dynamic.CreateResult<Applied>> {
  const outs = await applySchema(inputs, readConfig);
  return { id: outs.id, outs };
}

/** Applies the migrations that are new. */
export function update(_olds: Applied, news: Inputs, readConfig: ReadConfig): Promise<Applied> {
  return applySchema(news, readConfig);
}

/** Compares the migrations, the logins and the location of the database. */
export async function diff(olds: Inputs, news: Inputs): Promise<pulumi.dynamic.DiffResult> {
  const fields = ['location', 'logins', 'migrations'] as const;
  const withoutUser = ({ user: _user, ...rest }: Inputs['location'] & { user?: string }) => rest;
  return {
    changes: fields.some((field) => !isDeepStrictEqual(olds[field], news[field])),
    replaces: isDeepStrictEqual(withoutUser(olds.location), withoutUser(news.location)) ? [] : ['location'],
  };
}

/** Returns an id of the database without credentials. */
function identify(location: DatabaseLocation): string {
  if (location.kind === 'cloud-sql') return `${location.instance}/${location.database}`;
  const { host, pathname } = new URL(location.url);
  return host + pathname;
}
