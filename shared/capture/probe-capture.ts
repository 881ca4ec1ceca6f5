import type { Database } from '../database/database.ts';
import { probes } from '../database/probes.ts';
import { statement } from '../database/statement.ts';
import { errorCodeOf } from '../database/unavailable.ts';

const captureAndUndo = statement<Record<string, never>, never>('probe-capture');

/**
 * Finds out whether events can be stored, without writing any; after a failure (`hasFailed`), by storing one
 * that is rolled back: only that shows whether the disk has room again. Throws what Database.query throws.
 */
export async function probeCapture(db: Database, hasFailed: boolean): Promise<void> {
  if (!hasFailed) return void (await probes.capture(db));
  await captureAndUndo(db, {}).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'DLO01') throw error;
  });
}
