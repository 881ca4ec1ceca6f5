import { deploySchema, type Logins } from '../../migrations/deploy-schema.ts';
import type { DatabaseLocation } from '../../shared/config/database-location.ts';

/** The inputs in Pulumi's state. Paths are relative to the folder of the program, so they are equal on every machine. */
export type Inputs = {
  readonly location: DatabaseLocation;
  readonly logins: Logins;
  /** Hashes by file. */
  readonly migrations: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Path of this module. */
  readonly code: string;
};

export type Applied = Inputs & { readonly id: string; readonly applied: readonly string[] };

/** Time for a new login to become known to the database. */
const timeoutSeconds = 60;

/** Migrates the schema. A failure fails the stack update, and resources that depend on the schema stay unchanged. */
export async function applySchema({ location, logins, folder, ...rest }: Inputs): Promise<Applied> {
  const options = location.kind === 'cloud-sql' ? { timeoutSeconds } : {};
  const applied = await deploySchema(location, { logins, folder, ...options });
  return { ...rest, location, logins, folder, id: identify(location), applied };
}

/** Returns an id of the database without credentials. */
function identify(location: DatabaseLocation): string {
  if (location.kind === 'cloud-sql') return `${location.instance}/${location.database}`;
  const { host, pathname } = new URL(location.url);
  return host + pathname;
}
