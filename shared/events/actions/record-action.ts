import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { ActionCutShortError, DatabaseUnavailableError } from '../../errors.ts';
import { log } from '../../log.ts';

/** The next events of an action, in order of id. */
export type EventPage = { readonly after: string; readonly max: number };

type Batches = {
  readonly list: (page: EventPage) => Promise<readonly { readonly id: string }[]>;
  readonly change: (ids: readonly string[]) => Promise<readonly { readonly changed: number }[]>;
};

const batchSize = 2000;
const pageSize = 20_000;
// Cloud Run functions have 60 s by default.
const defaultBudgetMs = 45_000;

/**
 * Changes the listed events until the time is over, and counts them in `done`. A batch is one statement and
 * one transaction, so that events are locked for milliseconds and the audit names every changed event.
 */
export async function changeInBatches(
  done: { changed: number },
  { list, change }: Batches,
  budgetMs = defaultBudgetMs,
): Promise<void> {
  const until = Date.now() + budgetMs;
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const ids: string[] = (await list({ after, max: pageSize })).map(({ id }) => id);
    for (let i = 0; i < ids.length; i += batchSize) {
      const [batch] = await change(ids.slice(i, i + batchSize));
      done.changed += batch?.changed ?? 0;
      if (Date.now() >= until) return;
    }
    after = ids.length < pageSize ? undefined : ids.at(-1);
  }
}

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
