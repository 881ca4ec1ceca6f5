import { statement } from '../database/statement.ts';
import { failureAt } from '../delivery/cause.ts';
import { minClaimOf } from '../delivery/claim-sizes.ts';
import { shuffle } from '../delivery/deal.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { takeTokens } from '../delivery/limits.ts';
import { type Closed, type Found, type Group, openPass, restOf, type Taken } from '../delivery/picker.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { hasRoom, isEmpty, isFailing, type Picker, type Work } from '../delivery/work-state.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { editRun } from './edit-run.ts';
import { decideRollout, limitInFlight, rateOf } from './rollout.ts';
import {
  type FailedEvent,
  findRun,
  pickRun,
  type Run,
  routeIn,
  stopByTime,
  type WaitingEvent,
} from './run.ts';
import { skipRunEvents } from './skip-reasons.ts';

/** Why the events of a replay end. */
export type ReplayStop = 'ended' | 'paused' | 'not yet' | 'no such run' | 'no route' | Closed;

const holdRun = statement<{ runId: string; because: string }, never>('hold-run');

/** Waiting events that one look reads; a pass keeps 50 times as many of ordered keys in memory. */
const maxRead = 1000;
/** The longest wait between two looks, in ms, while other workers deliver what is left. */
const maxIdleMs = 1000;
/**
 * The state of a replay's picker. A pass reads all waiting events once; passes follow until none of them
 * waits.
 */
type Selected = ReturnType<typeof openSelected>;

function openSelected(deps: DeliveryDeps, runId: string) {
  return {
    deps,
    runId,
    run: undefined as Run | undefined,
    /** By route: the events that may go. */
    groups: new Map<string, Group>(),
    after: 0,
    isRead: false,
    pass: openPass(),
    unrouted: 0,
    /** What keeps groups of the pass from their target. */
    closed: undefined as Closed | undefined,
    delivered: [] as string[],
    /** By key the last of its events in this pass, and by event the one after it. */
    lastOfKey: new Map<string, string>(),
    followers: new Map<string, WaitingEvent>(),
    idleMs: 0,
  };
}

/** Opens the picker of a replay: its frozen selection. */
export function openRunEvents(
  deps: DeliveryDeps,
  runId: string,
  { waitForTarget = false, toHeldTargets = false, pace }: Partial<Run['rollout']> = {},
): Picker<ReplayStop> {
  const selected = openSelected(deps, runId);
  return {
    find: (work) => findGroups(selected, work),
    take: (_, wanted) => takeOfRun(selected, wanted),
    waitsFor: (_, __, { of }) => of === 'limit',
    learn: (taken) => learnTaken(selected, taken),
    follow: (delivered) => selected.delivered.push(...delivered),
    // Unless asked to wait, replays ignore open breakers: an operator requested the delivery, and the gate
    // limits failures.
    obeysBreakers: waitForTarget,
    obeysHolds: !toHeldTargets,
    samplesCauses: pace !== 'ungated',
  };
}

async function findGroups(selected: Selected, work: Work): Promise<Found<ReplayStop>> {
  const { deps, runId } = selected;
  const [run] = await findRun(deps.db, { runId });
  if (!run) return { stopped: 'no such run' };
  if (run.endedAt !== null) return { stopped: 'ended' };
  const stopped = await stopByTime(deps.db, run);
  if (stopped) return { stopped };
  if (run.pausedBecause !== null) return { stopped: 'paused' };
  selected.run = run;
  const { patch } = run;
  if (patch !== null && run.editedTo < run.selected) {
    await editRun(deps.db, { ...run, patch });
    return { waitMs: 0 };
  }
  const decision = decideRollout(run);
  if (decision.kind === 'pause') {
    await holdRun(deps.db, { runId, because: decision.because });
    return { waitMs: 0 };
  }
  const startedAt = performance.now();
  addFollowers(selected, run);
  await setAside(selected, work);
  if (countLeft(selected) === 0 && !selected.isRead) await readWaiting(selected, run);
  selected.pass.busyMs += performance.now() - startedAt;
  const open = [...selected.groups.values()].filter(
    ({ route, ids }) => ids.length > 0 && hasRoom(work, route),
  );
  const inFlight = limitInFlight(run, minClaimOf(deps.retry.batchSize));
  const upTo = Math.min(decision.upTo, run.delivered + run.failed + inFlight, run.selected);
  if (upTo <= run.delivered + run.failed + run.inFlight) return {};
  if (open.length > 0) return { groups: open, upTo, isRedirected: run.request.target !== undefined };
  if (!selected.isRead && countLeft(selected) === 0) return { waitMs: 0 };
  return countLeft(selected) > 0 ? {} : endPass(selected, work);
}

/** Reads the next waiting events. Those that will never go are skipped. */
async function readWaiting(selected: Selected, run: Run): Promise<void> {
  const { deps, runId, after, lastOfKey, followers } = selected;
  const hasOrdered = deps.routes.some(({ ordered }) => ordered);
  const waiting = await pickRun(deps.db, { runId, after, max: maxRead, hasOrdered });
  selected.isRead = waiting.length < maxRead || lastOfKey.size + followers.size > 50 * maxRead;
  selected.after = waiting.at(-1)?.position ?? after;
  const judged = Map.groupBy(waiting, (event) => judgeEvent(selected, run, event));
  // A canary shows more if its events are unlike each other.
  if (run.rollout.pace !== 'ungated') for (const { ids } of selected.groups.values()) shuffle(ids);
  for (const [reason, events] of judged) if (reason !== undefined) await skipEvents(selected, events, reason);
}

async function skipEvents(selected: Selected, events: readonly Pick<WaitingEvent, 'id'>[], reason: string) {
  if (events.length === 0) return;
  selected.pass.gained += events.length;
  const { deps, runId } = selected;
  await skipRunEvents(deps.db, { runId, skipped: events.map(({ id }) => ({ id, reason })) });
}

/** Adds an event to those that may go. Returns why it never will; undefined if it may go now or later. */
function judgeEvent(selected: Selected, run: Run, event: WaitingEvent): string | undefined {
  if (event.whyNot !== null) return event.whyNot === 'recovering' ? undefined : event.whyNot;
  const group = groupOf(selected, run, event);
  if (!group) selected.unrouted += 1;
  else if (!group.isOrdered || event.key === null) group.ids.push(event.id);
  else if (event.blockedBy !== null && !event.isBlockerWaiting) return 'held-back';
  else if (isFirstOfKey(selected, event.key, event)) group.ids.push(event.id);
  return undefined;
}

function isFirstOfKey({ lastOfKey, followers }: Selected, key: string, event: WaitingEvent): boolean {
  const before = lastOfKey.get(key);
  // Behind a later one of its partition, or one that another worker delivers: a later pass has it.
  if (before === undefined && event.blockedBy !== null) return false;
  lastOfKey.set(key, event.id);
  if (before !== undefined) followers.set(before, event);
  return before === undefined;
}

function groupOf({ deps, groups }: Selected, run: Run, event: FailedEvent): Group | undefined {
  const route = routeIn(deps, run, event);
  if (!route) return undefined;
  const target = nameTarget(route.target);
  const cause = failureAt(target, event.cause);
  const kind = `${deps.routes.indexOf(route)} ${cause ?? ''} ${event.eventType}`;
  return getOrInsert(groups, kind, () => {
    return { priority: 0, route, target, cause, kind, isOrdered: route.ordered, ids: [] };
  });
}

/** Adds the events that follow those that were delivered. */
function addFollowers(selected: Selected, run: Run): void {
  for (const next of selected.delivered.splice(0).flatMap((id) => selected.followers.get(id) ?? []))
    groupOf(selected, run, next)?.ids.push(next.id);
}

/**
 * After a pass another one looks for what was released or locked. Without any, others deliver what is left,
 * or nobody can.
 */
function endPass(selected: Selected, work: Work): Found<ReplayStop> {
  const { run, pass, unrouted, closed } = selected;
  if (!isEmpty(work)) {
    const waitMs = restOf(pass);
    if (waitMs > 0) return { waitMs };
  } else if (pass.gained === 0 && (run?.inFlight ?? 0) === 0) {
    if (closed !== undefined) return { stopped: closed };
    if (unrouted > 0) return { stopped: 'no route' };
  }
  selected.idleMs = pass.gained > 0 ? 0 : Math.min(Math.max(10, 2 * selected.idleMs), maxIdleMs);
  Object.assign(selected, { pass: openPass(), after: 0, isRead: false, unrouted: 0, closed: undefined });
  selected.lastOfKey.clear();
  selected.followers.clear();
  return { waitMs: selected.idleMs };
}

/** Skips the events whose samples fail. */
async function setAside(selected: Selected, work: Work): Promise<void> {
  const failing = [...selected.groups.values()].filter((group) => isFailing(work, group));
  await skipEvents(
    selected,
    failing.flatMap(({ ids }) => ids.splice(0).map((id) => ({ id }))),
    'cause',
  );
}

function countLeft({ groups }: Selected): number {
  return [...groups.values()].reduce((sum, { ids }) => sum + ids.length, 0);
}

function learnTaken(selected: Selected, { leased, closed }: Taken): void {
  selected.pass.gained += leased;
  // They are left to a later pass.
  for (const [group, why] of closed) if (group.ids.splice(0).length > 0) selected.closed = why;
}

/**
 * Takes up to `wanted` deliveries from the run's own rate, which all its workers share; a negative number
 * returns some.
 */
async function takeOfRun({ deps, run, runId }: Selected, wanted: number): Promise<number> {
  const ratePerSecond = run && rateOf(run.rollout);
  if (ratePerSecond === undefined) return Math.max(0, wanted);
  return takeTokens(deps.db, { route: `replay ${runId}`, ratePerSecond, wanted });
}
