import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { ActionCutShortError, DatabaseUnavailableError } from '../../errors.ts';
import { log } from '../../log.ts';

type Opening = { readonly actor: string; readonly action: string; readonly reason: string };
type Opened = { readonly id: string; readonly lastEventId: string };

const openAction = statement<Opening & { details: string }, Opened>('open-action');
const closeAction = statement<{ actor: string; action: string; auditId: string; details: string }, never>(
  'close-action',
);

/**
 * Records an action in the audit before its first change, and its outcome after the last one. `work` gets the
 * entry of the audit with the newest event that it covers, and counts the changed events in `done`. Throws
 * ActionCutShortError if the database fails meanwhile.
 */
export async function recordAction<Outcome extends object>(
  db: Database,
  { details, ...opening }: Opening & { readonly details: object },
  work: (entry: Opened, done: { changed: number }) => Promise<Outcome>,
): Promise<Outcome & { auditId: string }> {
  const { actor, action } = opening;
  const [entry] = await openAction(db, { ...opening, details: JSON.stringify(details) });
  if (!entry) throw new Error('The audit entry of an action was not returned.');
  const { id: auditId } = entry;
  const done = { changed: 0 };
  try {
    const outcome = await work(entry, done);
    await closeAction(db, { actor, action, auditId, details: JSON.stringify(outcome) });
    log('INFO', `${action}: events changed: ${done.changed}`, { action, auditId, ...outcome });
    return { auditId, ...outcome };
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    throw new ActionCutShortError(auditId, done.changed, error);
  }
}
