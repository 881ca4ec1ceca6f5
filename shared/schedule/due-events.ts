import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { findPause } from '../delivery/breakers.ts';
import type { Cause } from '../delivery/cause.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { hasRoom, isFailing } from '../delivery/own-limits.ts';
import type { EventGroup, Look, Wait } from '../delivery/picker.ts';
import { ratesOf } from '../delivery/rates.ts';
import type { Pass, Picker, Work } from '../delivery/work-state.ts';
import { getOrInsert } from '../get-or-insert.ts';
import type { Origin } from '../message/event.ts';
import { beforeAll, routeLane, walkLanes } from './lanes.ts';
import { closeRefused, type Refused, rulesOf } from './refusals.ts';

/** In the order of due events. The time is text: a Date loses the microseconds. */
type Place = { readonly retryAfter: string; readonly id: string };

/** The due events of a lane and priority. */
type DueGroup = EventGroup & {
  readonly lane: string;
  readonly rules: string | null;
  after: Place | undefined;
};

const first: Place = { retryAfter: '-infinity', id: '0' };

type Pair = Origin & { readonly lane: string; readonly priority: number; readonly cause: Cause | null };

type Wanted = Pick<DueGroup, 'lane' | 'priority' | 'isOrdered' | 'rules'> & Place;

type Read = Place & { readonly place: number; readonly whyNot: string | null };

const pickDue = statement<{ groups: readonly Wanted[]; max: number; dueAt: string }, Read>('pick-due');

/** Finds the events after `delivered` ones in the order of their keys that may go now, by `rules` of lanes. */
export const findSuccessors = statement<
  { delivered: readonly string[]; dueAt: string; rules: string },
  Pair & { readonly id: string }
>('find-successors');

/** Lanes in one step of the walk: this takes some ten milliseconds. */
const maxLanes = 1000;
/** Groups of a pass at once; the walk goes on when some of them are done. */
const maxGroups = 2000;
/** Events read for one lease, in total over all groups, and of each of them. */
const maxRead = 3000;

/** A negative number returns unused events. */
const takeAllowance = statement<{ runId: string; wanted: number }, { readonly granted: number | null }>(
  'take-allowance',
);

/** In ms: how long a tick waits for locked events. */
const maxLockedMs = 15_000;

/** The state of the picker. */
type Due = ReturnType<typeof openDue>;

/** `dueAt`: of a worker without a slot. */
function openDue(deps: DeliveryDeps, dueAt: string) {
  return {
    deps,
    dueAt,
    groups: new Map<string, DueGroup>(),
    /** Where the walk over all lanes with due events is. */
    last: beforeAll,
    isWalked: false,
    /** Lanes that no route matches. */
    unrouted: new Set<string>(),
    /** The rules of routes that refuse events, by lane. */
    rules: new Map<string, string>(),
    isPaused: undefined as boolean | undefined,
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
  { dueAt }: { readonly dueAt: string },
): Picker & { readonly unrouted: ReadonlySet<string> } {
  const due = openDue(deps, dueAt);
  return {
    groups: due.groups,
    look: (work) => lookAt(due, work),
    rewind(terms) {
      due.groups.clear();
      Object.assign(due, { last: beforeAll, isWalked: false, dueAt: terms.dueAt });
    },
    canRewind: () => due.isWalked,
    async read(work, pass) {
      if (canWalk(due)) await walkOn(due);
      await readHungry(due, work, pass);
    },
    hasMore: (work) => canWalk(due) || listHungry(due, work).length > 0,
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
    unrouted: due.unrouted,
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

function canWalk({ isWalked, groups }: Due): boolean {
  return !isWalked && groups.size < maxGroups;
}

/** Each step of the walk costs the same for one lane and for a million. */
async function walkOn(due: Due): Promise<void> {
  const { deps, dueAt, last } = due;
  const walked = await walkLanes(deps.db, { ...last, max: maxLanes, dueAt });
  due.last = walked.at(-1) ?? last;
  due.isWalked = (walked.at(-1)?.nth ?? 0) < maxLanes;
  for (const pair of walked) {
    const group = pair.isDue ? findGroup(due, pair) : undefined;
    if (group) group.after = first;
  }
}

/** Returns the group of a lane and priority, or undefined if no route matches it. */
function findGroup({ deps, unrouted, rules: known, groups }: Due, pair: Pair): DueGroup | undefined {
  const { lane, priority, route, target, cause } = routeLane(deps.routes, pair);
  if (!route) {
    unrouted.add(lane);
    return undefined;
  }
  const rules = rulesOf(route.policy);
  if (rules !== null) known.set(lane, rules);
  return getOrInsert(groups, `${lane} ${priority}`, () => {
    const facts = { kind: lane, route, target, cause, isOrdered: route.ordered, rates: ratesOf(route) };
    return { lane, priority, ...facts, rules, ids: [], after: undefined };
  });
}

/** Groups without an event that have not been read to their end. */
function listHungry({ groups }: Due, work: Work): DueGroup[] {
  return [...groups.values()].filter(
    (group) => group.ids.length === 0 && group.after && hasRoom(work, group) && !isFailing(work, group),
  );
}

async function readHungry(due: Due, work: Work, pass: Pass): Promise<void> {
  const hungry = listHungry(due, work);
  if (hungry.length === 0) return;
  const max = Math.max(1, Math.ceil(maxRead / hungry.length / 2));
  const groups = hungry.map(({ lane, priority, isOrdered, rules, after = first }) => {
    return { lane, priority, isOrdered, rules, ...after };
  });
  const read = await pickDue(due.deps.db, { groups, max, dueAt: due.dueAt });
  const byGroup = Map.groupBy(read, ({ place }) => place);
  // They have gone to another lane since the walk: a fingerprint was computed. Another pass finds them.
  pass.missed += hungry.filter(({ after }, place) => after === first && !byGroup.has(place)).length;
  const refused = hungry.flatMap((group, place) => addRead(group, byGroup.get(place) ?? [], max));
  const closed = await closeRefused(due.deps.db, refused);
  work.tallies.all.refused += closed;
  work.tallies.all.failedPermanently += closed;
  pass.gained += closed;
}

/** Returns the events that their route refuses. */
function addRead(group: DueGroup, events: readonly Read[], max: number): Refused[] {
  group.after = events.length < max ? undefined : events.at(-1);
  for (const { id, whyNot } of events) if (whyNot === null) group.ids.push(id);
  return events.flatMap(({ id, whyNot }) =>
    whyNot === 'expired' || whyNot === 'permanent' ? [{ id, whyNot, route: group.route }] : [],
  );
}

/** Adds the events after delivered ones of ordered routes. */
async function addSuccessors(due: Due, delivered: readonly string[]): Promise<void> {
  const { deps, rules, dueAt } = due;
  const ofLanes = `{${[...rules].map(([lane, text]) => `"${lane}":${text}`).join()}}`;
  for (const next of await findSuccessors(deps.db, { delivered, dueAt, rules: ofLanes })) {
    const group = findGroup(due, next);
    if (group?.isOrdered) group.ids.push(next.id);
  }
}
