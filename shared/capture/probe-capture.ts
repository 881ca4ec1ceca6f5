import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { errorCodeOf } from '../database/unavailable.ts';

const tryToInsert = statement<Record<string, never>, never>('probe-capture', import.meta.url);

/** Finds out whether an event can be stored, by storing one that is rolled back. Throws what Database.query throws. */
export async function probeCapture(db: Database): Promise<void> {
  await tryToInsert(db, {}).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'DLO01') throw error;
  });
}
