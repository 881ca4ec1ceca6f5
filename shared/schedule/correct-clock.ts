import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { log } from '../log.ts';

const correct = statement<Record<string, never>, { readonly id: string }>('correct-clock', import.meta.url);

/**
 * Corrects the times of events after the clock of the database has stepped back, so that none waits for it to
 * catch up.
 */
export async function correctClock(db: Database): Promise<void> {
  const corrected = await correct(db, {});
  if (corrected.length === 0) return;
  log('WARNING', 'The clock of the database has stepped back: times that it had set ahead were corrected.', {
    events: corrected.length,
  });
}
