import { catchUp } from '../../shared/catch-up.ts';
import type { Database } from '../../shared/database.ts';
import { fillFingerprints } from '../../shared/fingerprint/fill-fingerprints.ts';

/** Reads events that nobody has read yet, and brings counts and error groups up to date. */
export async function takeStock(db: Database): Promise<Record<string, number>> {
  return { fingerprinted: await fillFingerprints(db), ...(await catchUp(db)) };
}
