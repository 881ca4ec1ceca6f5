import { sumEvents } from '../count-of.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { findPause } from '../delivery/breakers.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import type { EventGroup, Look, Wait } from '../delivery/picker.ts';
import type { Picker, Work } from '../delivery/work-state.ts';
import { addSuccessors, type Due, hasMoreDue, openDue, readDue } from './due-lanes.ts';
import { beforeAll, countEach, maxCounted } from './lanes.ts';

/** A negative number returns unused events. */
const takeAllowance = statement<{ runId: string; wanted: number }, { readonly granted: number | null }>(
  'take-allowance',
);

/** In ms: how long a tick waits for locked events. */
const maxLockedMs = 15_000;
/** Lanes without a route whose events are counted. */
const maxUnrouted = 2000;

/**
 * Opens the picker of a tick: what was due when it began. Events that fail meanwhile wait for a later one.
 */
export function openDueEvents(
  deps: DeliveryDeps,
  { dueAt }: { readonly dueAt: string },
): Picker & { readonly countUnrouted: () => Promise<number> } {
  const due = openDue(deps, dueAt);
  return {
    groups: due.groups,
    look: (work) => lookAt(due, work),
    rewind(terms) {
      due.groups.clear();
      Object.assign(due, { last: beforeAll, isWalked: false, dueAt: terms.dueAt });
    },
    canRewind: () => due.isWalked,
    read: (work, pass) => readDue(due, work, pass),
    hasMore: (work) => hasMoreDue(due, work),
    follow: (delivered) => addSuccessors(due, delivered),
    async stopAfter({ missed }, { work, idleMs }) {
      if (missed > 0 && idleMs < maxLockedMs) return undefined;
      // A later tick that found this one running left the events to it that became due since.
      await work.held?.report();
      return latestOf(due, work) === due.dueAt ? 'nothing due' : undefined;
    },
    ...(deps.retry.maxEventsPerTick > 0 && { take: (work, wanted) => takeEvents(due, work, wanted) }),
    waitsFor,
    obeysBreakers: true,
    obeysHolds: true,
    samplesCauses: true,
    countUnrouted: () => countUnrouted(due),
  };
}

async function lookAt(due: Due, work: Work): Promise<Look> {
  if (due.isSpent) return { stopped: 'event limit reached' };
  due.isPaused ??= (await findPause(due.deps)) !== undefined;
  if (due.isPaused || work.held?.isPaused()) return { stopped: 'the schedule is paused' };
  return { terms: { dueAt: latestOf(due, work) } };
}

/** A later tick may extend the run. */
function latestOf({ dueAt }: Due, { held }: Work): string {
  return held?.dueAt() ?? dueAt;
}

/**
 * A tick waits for a target that takes no more for now, or that is down but has accepted events in this tick.
 * For others, and for a cause, it waits as long as events wait that have not failed there.
 */
function waitsFor({ endsAt, health }: Work, { target, cause }: EventGroup, { ms, of }: Wait): boolean {
  const isNear = of === 'target down' && health.of(target).acceptedKinds.size > 0;
  return ms <= 0 || ((isNear || of === 'limit' || cause === null) && Date.now() + ms < endsAt);
}

async function takeEvents(due: Due, { deps, runId }: Work, wanted: number): Promise<number> {
  const taken =
    runId === null ? undefined : await unlessLocked(takeAllowance(deps.db, { runId, wanted }), undefined);
  const granted = taken ? (taken[0]?.granted ?? 0) : Math.min(wanted, due.allowance);
  due.allowance -= granted;
  due.isSpent = wanted > 0 && granted === 0;
  return granted;
}

async function countUnrouted({ deps, unrouted }: Due): Promise<number> {
  const lanes = [...unrouted].slice(0, maxUnrouted);
  const counts = lanes.length === 0 ? [] : await countEach(deps.db, { lanes, max: maxCounted });
  return sumEvents(counts);
}
