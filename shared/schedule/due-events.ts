import { sumEvents } from '../count-of.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { type Found, findSuccessors, type Group, openPass, restOf, type Wait } from '../delivery/picker.ts';
import {
  hasRoom,
  isEmpty,
  isFailing,
  type Picker,
  pausedUntil,
  type Work,
  waitsUntil,
} from '../delivery/work-state.ts';
import { type DueGroup, groupOf, openWalk, readDue } from './due-lanes.ts';
import { countEach, maxCounted } from './lanes.ts';
import { type Refused, refuse } from './refusals.ts';

export type TickStop = 'nothing due' | 'event limit reached' | 'the schedule is paused';

/** A negative number returns unused events. */
const takeAllowance = statement<{ runId: string; wanted: number }, { readonly granted: number | null }>(
  'take-allowance',
);

/** `dueAt`: of a worker without a slot. */
type Terms = { readonly dueAt: string; readonly isPaused: boolean };

/** A pass looks once at all that is due; passes follow until one finds nothing that can go. */
export type Due = ReturnType<typeof openDue>;

/** Groups of a pass at once; the walk goes on when some of them are done. */
const maxGroups = 2000;
/** Events read for one lease, in total over all groups, and of each of them. */
const maxRead = 3000;
/** In ms: a longer pass begins again, as operators prefer events and release targets meanwhile. */
const longPassMs = 5000;
/** In ms: how long a tick waits for locked events, and between two looks at them. */
const maxLockedMs = 15_000;
const lockedWaitMs = 250;

function openDue(deps: DeliveryDeps, { dueAt, isPaused }: Terms) {
  const unrouted = new Set<string>();
  return {
    isPaused,
    unrouted,
    groups: [] as DueGroup[],
    walk: openWalk(deps, unrouted),
    /** A later tick may extend the run. */
    dueAt,
    pass: openPass(),
    lockedSince: undefined as number | undefined,
    /** Delivered events of ordered routes: those after them may go. */
    delivered: [] as string[],
    rules: new Map<string, string>(),
    /** The events left to this worker, while another session has locked the run with the shared limit. */
    allowance: deps.retry.maxEventsPerTick,
    isSpent: false,
  };
}

/**
 * Opens the picker of a tick: what was due when it began. Events that fail meanwhile wait for a later one.
 */
export function openDueEvents(
  deps: DeliveryDeps,
  terms: Terms,
): Picker<TickStop> & { readonly countUnrouted: () => Promise<number> } {
  const due = openDue(deps, terms);
  return {
    find: (work) => findGroups(due, work),
    take: (work, wanted) => takeEvents(due, work, wanted),
    waitsFor,
    learn({ leased, missed, closed }) {
      due.pass.gained += leased;
      due.pass.missed += missed;
      due.groups = due.groups.filter((group) => !closed.has(group));
    },
    follow: (delivered) => due.delivered.push(...delivered),
    obeysBreakers: true,
    obeysHolds: true,
    samplesCauses: true,
    countUnrouted: () => countUnrouted(deps, due),
  };
}

async function findGroups(due: Due, work: Work): Promise<Found<TickStop>> {
  if (due.isSpent) return { stopped: 'event limit reached' };
  if (due.isPaused || work.held?.isPaused()) return { stopped: 'the schedule is paused' };
  const isLong = due.walk.isDone() && restOf(due.pass, longPassMs) === 0;
  if (isLong || latestOf(due, work) !== due.dueAt) beginPass(due, work);
  const startedAt = performance.now();
  if (!due.walk.isDone() && due.groups.length < maxGroups)
    due.groups.push(...(await due.walk.step(due.dueAt)));
  await addSuccessors(due, work);
  due.groups = due.groups.filter((group) => {
    if (isFailing(work, group)) return false;
    // A target that seems down to this worker gets nothing until its breaker has decided, in half a second.
    const ms = pausedUntil(work, group.route) - performance.now();
    return waitsFor(work, group, { ms, of: 'limit' });
  });
  await readHungry(due, work);
  due.pass.busyMs += performance.now() - startedAt;
  const open = due.groups.filter(({ route }) => hasRoom(work, route));
  if (open.some(({ ids }) => ids.length > 0)) return { groups: open, dueAt: due.dueAt };
  const canWalk = !due.walk.isDone() && due.groups.length < maxGroups;
  if (open.length > 0 || canWalk) return { waitMs: 0 };
  return due.groups.length > 0 ? waitFor(due, work) : endPass(due, work);
}

/** For the first target that takes events again, or for what is in flight. */
function waitFor({ groups }: Due, work: Work): Found<TickStop> {
  const ends = groups.map(({ route }) => waitsUntil(work, route));
  const next = Math.min(...ends.filter((end) => end > performance.now()));
  return Number.isFinite(next) ? { waitMs: Math.max(0, next - performance.now()) } : {};
}

async function readHungry(due: Due, work: Work): Promise<void> {
  const hungry = due.groups.filter(
    ({ ids, isRead, route }) => ids.length === 0 && !isRead && hasRoom(work, route),
  );
  if (hungry.length > 0) {
    const max = Math.max(1, Math.ceil(maxRead / hungry.length / 2));
    const isFirst = hungry.filter(({ after }) => after.retryAfter === '-infinity');
    const wrong = await readDue(work.deps, hungry, { dueAt: due.dueAt, max });
    // They have gone to another lane since the walk: a fingerprint was computed. Another pass finds them.
    due.pass.missed += isFirst.filter(({ after }) => after.retryAfter === '-infinity').length;
    const refused = wrong.filter((each): each is Refused => ['expired', 'permanent'].includes(each.whyNot));
    const closed = await refuse(work.deps, refused);
    work.tallies.all.refused += closed;
    work.tallies.all.failedPermanently += closed;
    due.pass.gained += closed;
  }
  due.groups = due.groups.filter(({ ids, isRead }) => ids.length > 0 || !isRead);
}

async function addSuccessors(due: Due, { deps }: Work): Promise<void> {
  const delivered = due.delivered.splice(0);
  if (delivered.length === 0) return;
  for (const { lane, rules } of due.groups) if (rules !== null) due.rules.set(lane, rules);
  const rules = `{${[...due.rules].map(([lane, text]) => `"${lane}":${text}`).join()}}`;
  for (const next of await findSuccessors(deps.db, { delivered, dueAt: due.dueAt, rules })) {
    const isOwn = ({ lane, priority }: DueGroup) => lane === next.lane && priority === next.priority;
    const group = due.groups.find(isOwn) ?? groupOf(deps, next);
    if (!group?.isOrdered) continue;
    if (!due.groups.includes(group)) due.groups.push(Object.assign(group, { isRead: true }));
    group.ids.push(next.id);
  }
}

/** Without anything that can go nothing is due; else another pass looks for what was released or locked. */
async function endPass(due: Due, work: Work): Promise<Found<TickStop>> {
  if (!isEmpty(work)) {
    const waitMs = restOf(due.pass);
    if (waitMs === 0) beginPass(due, work);
    return { waitMs };
  }
  const { gained, missed } = due.pass;
  due.lockedSince = gained === 0 && missed > 0 ? (due.lockedSince ?? performance.now()) : undefined;
  const isLocked = due.lockedSince !== undefined && performance.now() - due.lockedSince < maxLockedMs;
  if (gained === 0 && !isLocked && !(await isMoreDue(due, work))) return { stopped: 'nothing due' };
  beginPass(due, work);
  return { waitMs: isLocked ? lockedWaitMs : 0 };
}

/** A delivery in flight, such as a probe, may let others go: then this is not the last pass. */
function beginPass(due: Due, work: Work): void {
  const pass = { ...openPass(), gained: isEmpty(work) ? 0 : 1 };
  due.unrouted.clear();
  Object.assign(due, {
    groups: [],
    walk: openWalk(work.deps, due.unrouted),
    dueAt: latestOf(due, work),
    pass,
  });
}

/** Whether a later tick found this one running and left the events to it that became due since. */
async function isMoreDue(due: Due, work: Work): Promise<boolean> {
  await work.held?.report();
  return latestOf(due, work) !== due.dueAt;
}

function latestOf({ dueAt }: Due, { held }: Work): string {
  return held?.dueAt() ?? dueAt;
}

/**
 * A tick waits for a target that takes no more for now, or that is down but has accepted events in this tick.
 * For others, and for a cause, it waits as long as events wait that have not failed there.
 */
function waitsFor({ endsAt, health }: Work, { target, cause }: Group, { ms, of }: Wait): boolean {
  const isNear = of === 'target down' && health.of(target).acceptedKinds.size > 0;
  return ms <= 0 || ((isNear || of === 'limit' || cause === null) && Date.now() + ms < endsAt);
}

/** A negative number returns unused events. */
async function takeEvents(due: Due, { deps, runId }: Work, wanted: number): Promise<number> {
  if (deps.retry.maxEventsPerTick === 0) return Math.max(0, wanted);
  const taken =
    runId === null ? undefined : await unlessLocked(takeAllowance(deps.db, { runId, wanted }), undefined);
  const granted = taken ? (taken[0]?.granted ?? 0) : Math.min(wanted, due.allowance);
  due.allowance -= granted;
  due.isSpent = wanted > 0 && granted === 0;
  return granted;
}

async function countUnrouted({ db }: DeliveryDeps, { unrouted }: Due): Promise<number> {
  const lanes = [...unrouted].slice(0, maxGroups);
  const counts = lanes.length === 0 ? [] : await countEach(db, { lanes, max: maxCounted });
  return sumEvents(counts);
}
