import type { Database } from '../database/database.ts';
import { NotFoundError } from '../errors.ts';
import { type FoundGroup, findGroup } from './error-groups.ts';

/** Finds a group, or the one that it is merged into. Throws NotFoundError. */
export async function requireGroup(db: Database, fingerprint: string): Promise<FoundGroup> {
  const [group] = await findGroup(db, { fingerprint });
  if (group) return group;
  throw new NotFoundError(`There is no error group ${fingerprint.slice(0, 80)}.`);
}
