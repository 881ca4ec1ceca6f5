import type { Database } from '../database/database.ts';
import { fillFingerprints } from './fingerprint/fill-fingerprints.ts';
import { refreshGroups } from './refresh-groups.ts';

/** Computes missing fingerprints, and brings counts and error groups up to date. Returns the numbers of what it changed. */
export async function refresh(db: Database): Promise<Record<string, number>> {
  return { fingerprinted: await fillFingerprints(db), ...(await refreshGroups(db)) };
}
