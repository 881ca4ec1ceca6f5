import * as v from 'valibot';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import { type AuditEntry, isEdit } from '../audit.ts';
import { readId } from '../event-id.ts';
import { dryRunEntry, reasonEntry } from './operator-text.ts';
import { changeInBatches, type EventPage, recordAction } from './record-action.ts';
import type { ActionResult } from './run-action.ts';

export const UndoSchema = v.strictObject({ reason: reasonEntry, dryRun: dryRunEntry });

/** Why an undo leaves events, for operators: `3 events sent since then`. */
export const keptBecause: Readonly<Record<string, string>> = {
  sent: 'sent since then',
  leased: 'being delivered by a worker',
  changed: 'captured or changed again since then',
  undone: 'returned by an undo before',
  gone: 'archived or deleted',
};

/** An entry of the audit that may be undone. `openRunId`: its run, if that goes on. */
export type Undoable = {
  readonly id: string;
  readonly action: string;
  readonly at: Date;
  readonly target: string | null;
  readonly openRunId: string | null;
  readonly hasEvents: boolean;
};

const findEntry = statement<{ auditId: string }, Undoable>('find-undoable');

const countUndoable = statement<
  { ids: readonly string[]; max: number | null },
  Pick<ActionResult, 'remaining' | 'kept'> & { readonly id: string; readonly isExact: boolean }
>('count-undoable');

/** The events that are looked at for a list of entries: some 30 us each. */
const maxListed = 2000;

/** Of some entries those that an undo returns events of, with their number: undefined for a large one. */
export async function findRemaining(db: Database, entries: readonly AuditEntry[]) {
  const ids = entries.filter((entry) => isEdit(entry) || 'sets' in entry.details).map(({ id }) => id);
  const max = Math.ceil(maxListed / ids.length);
  const found = ids.length === 0 ? [] : await countUndoable(db, { ids, max });
  const some = found.filter(({ remaining, isExact }) => remaining > 0 || !isExact);
  return new Map(some.map(({ id, remaining, isExact }) => [id, isExact ? remaining : undefined]));
}

const listActionEvents = statement<{ auditId: string } & EventPage, { readonly id: string }>(
  'list-action-events',
);

const undoBatch = statement<
  { auditId: string; undoId: string; ids: readonly string[] },
  { readonly changed: number }
>('undo-events');

/** Returns an entry of the audit. Throws NotFoundError. */
export async function findUndoable(db: Database, id: string): Promise<Undoable> {
  const [entry] = readId(id) ? await findEntry(db, { auditId: id }) : [];
  if (entry) return entry;
  throw new NotFoundError(`The audit has no entry ${id.slice(0, 40)}.`);
}

/** Counts the events that an undo of this entry would change and leave. */
export async function previewUndo(db: Database, { id }: Undoable): Promise<ActionResult> {
  const [found] = await countUndoable(db, { ids: [id], max: null });
  return { dryRun: true, changed: 0, remaining: found?.remaining ?? 0, kept: found?.kept ?? {} };
}

/**
 * Returns the events of an action to the state and the time that they had before it: exactly those that its
 * entry in the audit names, as far as nothing happened to them since. With none of them left it changes and
 * records nothing. Throws a ConflictError for a run that still edits, and ActionCutShortError.
 */
export async function undoEvents(
  db: Database,
  entry: Undoable,
  { actor, reason }: { readonly actor: string; readonly reason: string },
): Promise<ActionResult> {
  if (entry.openRunId !== null)
    throw new ConflictError(`Run ${entry.openRunId} has not ended: cancel it, then undo its edits.`);
  const auditId = entry.id;
  const [some] = await countUndoable(db, { ids: [auditId], max: maxListed });
  if (some?.isExact && some.remaining === 0)
    return { dryRun: false, changed: 0, remaining: 0, kept: some.kept };
  const undo = { actor, action: 'undo', reason, details: { undoes: auditId, undone: entry.action } };
  const result = await recordAction(db, undo, async ({ id: undoId }, done) => {
    await changeInBatches(done, {
      list: (page) => listActionEvents(db, { auditId, ...page }),
      change: (ids) => undoBatch(db, { auditId, undoId, ids }),
    });
    const { remaining, kept } = await previewUndo(db, entry);
    const { undone = 0, ...others } = kept;
    const before = undone - done.changed;
    return { changed: done.changed, remaining, kept: { ...others, ...(before > 0 && { undone: before }) } };
  });
  return { dryRun: false, ...result };
}
