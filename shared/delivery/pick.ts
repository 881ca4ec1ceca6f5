import { isRefusal } from './cause.ts';
import { hasRoom, isFailing, waitsUntil } from './own-limits.ts';
import type { EventGroup, Look, Terms } from './picker.ts';
import { isEmpty, type Pass, type Work } from './work-state.ts';

/** In ms: a longer pass begins again, as operators prefer events and release targets meanwhile. */
const longPassMs = 5000;
/** Between two passes while events are in flight: in ms, and as a multiple of the time of a pass. */
const minPassMs = 1000;
const restFactor = 20;
/** In ms: between two passes in which nothing could go the wait doubles. */
const minIdleMs = 10;
const maxIdleMs = 500;

type Found = Omit<Look, 'terms'> & { readonly groups?: readonly EventGroup[]; readonly pass?: Pass };

/**
 * Finds the groups whose events may go now. A pass looks once at all events of a picker; passes follow until
 * the picker stops. Throws DatabaseUnavailableError.
 */
export async function findGroups(work: Work): Promise<Found> {
  const { picker } = work;
  const looked = await picker.look(work);
  if (!looked.terms) return looked;
  const pass = continuePass(work, looked.terms);
  const startedAt = performance.now();
  const delivered = work.delivered.splice(0);
  if (delivered.length > 0) await picker.follow(delivered);
  await picker.read(work, pass);
  await dropGroups(work, pass);
  pass.busyMs += performance.now() - startedAt;
  const groups = [...picker.groups.values()];
  const open = listFirst(groups).filter((group) => group.ids.length > 0 && hasRoom(work, group));
  if (open.length > 0) return { groups: open, pass };
  if (picker.hasMore(work)) return { waitMs: 0 };
  return groups.length > 0 ? waitForTarget(work, groups) : endPass(work, pass);
}

/**
 * Of each target what it has refused as too many comes last: if that was about these events alone, no other
 * waits for them.
 */
function listFirst(groups: readonly EventGroup[]): readonly EventGroup[] {
  const others = new Set(groups.flatMap(({ cause, target }) => (isRefusal(cause) ? [] : [target])));
  return groups.filter(({ cause, target }) => !isRefusal(cause) || !others.has(target));
}

/** A later tick may have extended the run. */
function continuePass(work: Work, terms: Terms): Pass {
  const { pass, picker } = work;
  const isLong = pass && picker.canRewind() && restOf(pass, longPassMs) === 0;
  if (!pass || isLong || pass.terms.dueAt !== terms.dueAt) return beginPass(work, terms);
  pass.terms = terms;
  return pass;
}

/** A delivery in flight, such as a probe, may let others go: then this is not the last pass. */
function beginPass(work: Work, terms: Terms): Pass {
  work.picker.rewind(terms);
  const gained = isEmpty(work) ? 0 : 1;
  work.pass = { terms, startedAt: performance.now(), busyMs: 0, gained, missed: 0 };
  return work.pass;
}

function restOf({ startedAt, busyMs }: Pass, minMs: number): number {
  return Math.max(0, startedAt + Math.max(minMs, restFactor * busyMs) - performance.now());
}

/** Drops groups that have ended, whose cause fails, or for whose target the picker does not wait. */
async function dropGroups(work: Work, pass: Pass): Promise<void> {
  const { picker } = work;
  for (const [name, group] of picker.groups) {
    const ms = work.health.of(group.target).pausedUntil - performance.now();
    const fails = isFailing(work, group);
    if (fails) await picker.setAside?.(pass, group.ids);
    const isDone = group.closed || (group.ids.length === 0 && group.after === undefined);
    if (group.closed) pass.closed = group.closed;
    if (fails || isDone || (ms > 0 && !picker.waitsFor(work, group, { ms, of: 'limit' })))
      picker.groups.delete(name);
  }
}

/** For the first target that takes events again, or for what is in flight. */
function waitForTarget(work: Work, groups: readonly EventGroup[]): Found {
  const ends = groups.map((group) => waitsUntil(work, group));
  const next = Math.min(...ends.filter((end) => end > performance.now()));
  return Number.isFinite(next) ? { waitMs: Math.max(0, next - performance.now()) } : {};
}

/** Without anything that can go the run may end; else another pass looks for what was released or locked. */
async function endPass(work: Work, pass: Pass): Promise<Found> {
  if (!isEmpty(work)) {
    const waitMs = restOf(pass, minPassMs);
    if (waitMs === 0) beginPass(work, pass.terms);
    return { waitMs };
  }
  const now = performance.now();
  work.idleSince = pass.gained > 0 ? undefined : (work.idleSince ?? now);
  const idleMs = now - (work.idleSince ?? now);
  const stopped = pass.gained > 0 ? undefined : await work.picker.stopAfter(pass, { work, idleMs });
  if (stopped !== undefined) return { stopped };
  beginPass(work, pass.terms);
  return { waitMs: pass.gained > 0 ? 0 : Math.min(Math.max(minIdleMs, idleMs), maxIdleMs) };
}
