import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { breakerTerms } from '../delivery/breaker-terms.ts';
import { assertTarget, findHold, listKnownTargets, readBreakers, theSchedule } from '../delivery/breakers.ts';
import { type Cause, ofNone, ofTarget } from '../delivery/cause.ts';
import { listTargetNames } from '../delivery/routes.ts';
import { ConflictError, InputError } from '../errors.ts';
import { findUndoable, previewUndo, undoEvents } from '../events/actions/undo-events.ts';
import type { ReplayDeps } from '../replay/replay-deps.ts';

type Deps = Pick<ReplayDeps, 'db' | 'routes'>;
type By = { readonly actor: string; readonly reason: string };
type Change = By & { readonly target: string };

/** `until`: when the hold ends, in ISO 8601; else with its release or undo. */
type Until = { readonly until?: string | null | undefined };
type Holds = { holds: readonly { readonly target: string; readonly cause: Cause }[]; until: string | null };

/** A target is held, the schedule is paused, all deliveries are stopped. */
function sayHeld(target: string, not = ''): string {
  if (target === '*') return `All deliveries are ${not}stopped`;
  return target === theSchedule ? `The schedule is ${not}paused` : `${target} is ${not}held`;
}

const insertHolds = statement<Change & Holds & { action: string }, { readonly id: string }>('hold-targets');

/** Throws an InputError if its end has passed, and a ConflictError if all is held already. */
async function holdAll(db: Database, terms: Parameters<typeof insertHolds>[1]) {
  const { until, target } = terms;
  if (until !== null && Date.parse(until) <= Date.now())
    throw new InputError([{ field: 'until', value: until, remedy: 'Give a time after now.' }]);
  const [held] = await insertHolds(db, terms);
  if (!held) throw new ConflictError(`${sayHeld(target)} already: end that first to change the reason.`);
  return { auditId: held.id };
}

const release = statement<By & { target: string | null; auditId: string | null }, { readonly id: string }>(
  'release-holds',
  breakerTerms,
);

/** No row if no stop holds a target now. */
export const findStop = statement<
  Record<string, never>,
  { readonly id: string; readonly at: Date; readonly actor: string; readonly reason: string }
>('find-stop');

/** Replays deliver only on request. Throws NotFoundError, InputError, and ConflictError if it is held. */
export async function holdTarget({ db, routes }: Deps, { until = null, ...change }: Change & Until) {
  const { target } = change;
  assertTarget(listTargetNames(routes), target);
  return holdAll(db, { ...change, until, action: 'hold target', holds: [{ target, cause: ofTarget }] });
}

/** Throws an InputError, and a ConflictError if the schedule is paused. */
export function pauseSchedule(db: Database, { until = null, ...by }: By & Until) {
  const holds = [{ target: theSchedule, cause: ofNone }];
  return holdAll(db, { ...by, until, action: 'pause schedule', target: theSchedule, holds });
}

/** Throws NotFoundError if it is no known target, and as `releaseHold` does. */
export async function releaseTarget(deps: Deps, change: Change): Promise<void> {
  assertTarget(listKnownTargets(deps.routes, await readBreakers(deps.db)), change.target);
  await releaseHold(deps, change);
}

/** Also of a target without a route. Deliveries start slowly. Throws a ConflictError without a hold. */
export async function releaseHold({ db }: Pick<Deps, 'db'>, change: Change): Promise<void> {
  const [released] = await release(db, { ...change, auditId: null });
  if (!released) throw new ConflictError(`${sayHeld(change.target, 'not ')}: there is nothing to end.`);
}

/**
 * Holds the targets of all routes, those that have a breaker, and those that routes bring later. The undo of
 * its entry starts all again. Throws InputError.
 */
export async function stopEverything({ db, routes }: Deps, { until = null, ...by }: By & Until) {
  const known = new Set([...listTargetNames(routes), ...(await readBreakers(db)).keys()]);
  const holds = [...known].map((target) => ({ target, cause: ofTarget }));
  holds.push({ target: '*', cause: ofNone });
  return holdAll(db, { ...by, until, action: 'stop', target: '*', holds });
}

type Undo = By & { readonly id: string; readonly dryRun: boolean };

/**
 * Undoes an action on events as `undoEvents` does, a hold by its release, and a stop by the release of its
 * targets and runs. Throws NotFoundError, ConflictError and ActionCutShortError.
 */
export async function undoAction(deps: Deps, { id, dryRun, ...by }: Undo) {
  const { db } = deps;
  const entry = await findUndoable(db, id);
  if (entry.hasEvents) return dryRun ? previewUndo(db, entry) : undoEvents(db, entry, by);
  if (entry.action === 'stop') {
    const [undone] = dryRun ? [] : await release(db, { ...by, auditId: entry.id, target: null });
    if (!dryRun && !undone) throw new ConflictError('This stop is over already.');
    return { dryRun, ...(undone && { auditId: undone.id }), changed: 0, remaining: 0, kept: {} };
  }
  if (!['hold target', 'pause schedule'].includes(entry.action) || entry.target === null)
    throw new ConflictError(`Entry ${id}, ${entry.action}, cannot be undone: hold or pause again.`);
  const [hold] = await findHold(db, { name: entry.target });
  if (hold?.heldAt?.getTime() !== entry.at.getTime())
    throw new ConflictError(`${sayHeld(entry.target, 'no longer ')} by this action.`);
  if (!dryRun) await releaseHold(deps, { target: entry.target, ...by });
  return { dryRun, changed: 0, remaining: 0, kept: {} };
}
