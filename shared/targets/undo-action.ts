import { findHold } from '../delivery/breakers.ts';
import { ConflictError } from '../errors.ts';
import { findUndoable, previewUndo, type UndoResult, undoEvents } from '../events/actions/undo-events.ts';
import type { ReplayDeps } from '../replay/replay-deps.ts';
import { releaseHold, undoStop } from './change-hold.ts';

type Deps = Pick<ReplayDeps, 'db' | 'routes'>;

type Undo = {
  readonly id: string;
  readonly actor: string;
  readonly reason: string;
  readonly dryRun: boolean;
};

/**
 * Undoes an action on events as `undoEvents` does, a hold by its release, and a stop by the release of its
 * targets and runs. Throws NotFoundError, ConflictError and ActionCutShortError.
 */
export async function undoAction(deps: Deps, { id, dryRun, ...by }: Undo): Promise<UndoResult> {
  const { db } = deps;
  const entry = await findUndoable(db, id);
  if (entry.hasEvents) return dryRun ? previewUndo(db, entry) : undoEvents(db, entry, by);
  if (entry.action === 'stop') {
    const auditId = dryRun ? undefined : await undoStop(deps, { auditId: entry.id, ...by });
    if (!dryRun && auditId === undefined) throw new ConflictError('This stop is over already.');
    return { dryRun, ...(auditId && { auditId }), changed: 0, remaining: 0, kept: {} };
  }
  if (entry.action !== 'hold target' || entry.target === null)
    throw new ConflictError(
      `Entry ${id} of the audit, ${entry.action}, cannot be undone. Instead of a release, hold it again.`,
    );
  const [hold] = await findHold(db, { name: entry.target });
  if (hold?.heldAt?.getTime() !== entry.at.getTime())
    throw new ConflictError(`${entry.target} is no longer held by this action.`);
  if (!dryRun) await releaseHold(deps, { target: entry.target, ...by });
  return { dryRun, changed: 0, remaining: 0, kept: {} };
}
