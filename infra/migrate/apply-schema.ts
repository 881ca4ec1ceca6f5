import { deploySchema, type Logins } from '../../migrations/deploy-schema.ts';
import type { DatabasePlace } from '../../shared/database-place.ts';

/** What is kept in Pulumi's state. Paths are seen from the folder of the program: they are the same on any machine. */
export type Inputs = {
  readonly place: DatabasePlace;
  readonly logins: Logins;
  /** Hashes by file. */
  readonly migrations: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Where this module is. */
  readonly code: string;
};

export type Applied = Inputs & { readonly id: string; readonly applied: readonly string[] };

/** A login that Pulumi has just made may be unknown for that long. */
const patienceSeconds = 60;

/** Brings the schema up to date. A failure fails the update of the stack, and what depends on the schema stays as it is. */
export async function applySchema({ place, logins, folder, ...rest }: Inputs): Promise<Applied> {
  const patience = place.kind === 'cloud-sql' ? { patienceSeconds } : {};
  const applied = await deploySchema(place, { logins, folder, ...patience });
  return { ...rest, place, logins, folder, id: identify(place), applied };
}

/** Names a database without what opens it. */
function identify(place: DatabasePlace): string {
  if (place.kind === 'cloud-sql') return `${place.instance}/${place.database}`;
  const { host, pathname } = new URL(place.url);
  return host + pathname;
}
