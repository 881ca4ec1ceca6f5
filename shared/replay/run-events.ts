import { statement } from '../database/statement.ts';
import { failureAt } from '../delivery/cause.ts';
import { minClaimOf } from '../delivery/claim-sizes.ts';
import { shuffle } from '../delivery/deal.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import type { EventGroup, Look } from '../delivery/picker.ts';
import { ratesOf } from '../delivery/rates.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Pass, Picker } from '../delivery/work-state.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { editRun } from './edit-run.ts';
import { decideRollout, limitInFlight, rateOf } from './rollout.ts';
import { type FailedEvent, findRun, pickRun, type Run, routeIn, type WaitingEvent } from './run.ts';
import { skipRunEvents } from './skip-reasons.ts';

const endRun = statement<{ runId: string }, never>('end-run');
const holdRun = statement<{ runId: string; because: string }, never>('hold-run');

/** Waiting events that one look reads; a pass keeps 50 times as many of ordered keys in memory. */
const maxRead = 1000;

type Selected = ReturnType<typeof openSelected>;

type Replayed = Pick<Run, 'id' | 'rollout'>;

function openSelected(deps: DeliveryDeps, { id: runId, rollout }: Replayed) {
  const perSecond = rateOf(rollout);
  return {
    deps,
    runId,
    rates: perSecond === undefined ? [] : [{ name: `replay ${runId}`, perSecond }],
    /** As the latest look has found it. */
    run: undefined as Run | undefined,
    groups: new Map<string, EventGroup>(),
    after: 0,
    isRead: false,
    unrouted: 0,
    /** By key the last of its events in this pass, and by event the one after it. */
    lastOfKey: new Map<string, string>(),
    followers: new Map<string, WaitingEvent>(),
  };
}

/** Opens the picker of a replay: its frozen selection. */
export function openRunEvents(deps: DeliveryDeps, run: Replayed): Picker {
  const selected = openSelected(deps, run);
  const { groups, lastOfKey, followers, rates } = selected;
  return {
    groups,
    look: () => lookAt(selected),
    rewind() {
      for (const each of [groups, lastOfKey, followers]) each.clear();
      Object.assign(selected, { after: 0, isRead: false, unrouted: 0 });
    },
    // The followers of what is in flight would be lost.
    canRewind: () => false,
    read: (_, pass) => readWaiting(selected, pass),
    hasMore: () => hasMore(selected),
    async follow(delivered) {
      for (const next of delivered.flatMap((id) => followers.get(id) ?? []))
        groupOf(selected, next)?.ids.push(next.id);
    },
    setAside: (pass, ids) => skipEvents(selected, pass, { ids, reason: 'cause' }),
    // Others deliver what is left, or nobody can.
    async stopAfter({ closed }) {
      if ((selected.run?.inFlight ?? 0) > 0) return undefined;
      return closed ?? (selected.unrouted > 0 ? 'no route' : undefined);
    },
    rates,
    waitsFor: (_, __, { of }) => of === 'limit',
    // Unless asked to wait, replays ignore open breakers: an operator requested the delivery, and the gate
    // limits failures.
    obeysBreakers: run.rollout.waitForTarget,
    obeysHolds: !run.rollout.toHeldTargets,
    samplesCauses: run.rollout.pace !== 'ungated',
  };
}

const stops = { scheduled: 'not yet', paused: 'paused', ended: 'ended', running: undefined } as const;

async function lookAt(selected: Selected): Promise<Look> {
  const { deps, runId } = selected;
  const [run] = await findRun(deps.db, { runId });
  if (!run) return { stopped: 'no such run' };
  if (run.isOver) await endRun(deps.db, { runId });
  const stopped = run.isOver ? 'ended' : stops[run.state];
  if (stopped) return { stopped };
  selected.run = run;
  const { patch } = run;
  if (patch !== null && run.editedTo < run.selected) {
    await editRun(deps.db, { ...run, patch });
    return { waitMs: 0 };
  }
  const { because, upTo: ofStage } = decideRollout(run);
  if (because !== undefined) {
    await holdRun(deps.db, { runId, because });
    return { waitMs: 0 };
  }
  const inFlight = limitInFlight(run, minClaimOf(deps.retry.batchSize));
  const upTo = Math.min(ofStage, run.delivered + run.failed + inFlight, run.selected);
  if (upTo <= run.delivered + run.failed + run.inFlight) return {};
  return { terms: { upTo, isRedirected: run.request.target !== undefined } };
}

function hasMore({ isRead, groups }: Selected): boolean {
  return !isRead && ![...groups.values()].some(({ ids }) => ids.length > 0);
}

/** Reads the next waiting events. Those that will never go are skipped. */
async function readWaiting(selected: Selected, pass: Pass): Promise<void> {
  const { deps, runId, run, groups, after, lastOfKey, followers } = selected;
  if (!hasMore(selected)) return;
  const hasOrdered = deps.routes.some(({ ordered }) => ordered);
  const waiting = await pickRun(deps.db, { runId, after, max: maxRead, hasOrdered });
  selected.isRead = waiting.length < maxRead || lastOfKey.size + followers.size > 50 * maxRead;
  selected.after = waiting.at(-1)?.position ?? after;
  const judged = Map.groupBy(waiting, (event) => judgeEvent(selected, event));
  // A canary shows more if its events are unlike each other.
  if (run?.rollout.pace !== 'ungated') for (const { ids } of groups.values()) shuffle(ids);
  for (const [reason, events] of judged)
    if (reason !== undefined) await skipEvents(selected, pass, { ids: events.map(({ id }) => id), reason });
}

type Skipped = { readonly ids: readonly string[]; readonly reason: string };

async function skipEvents({ deps, runId }: Selected, pass: Pass, { ids, reason }: Skipped): Promise<void> {
  pass.gained += ids.length;
  if (ids.length > 0) await skipRunEvents(deps.db, { runId, skipped: ids.map((id) => ({ id, reason })) });
}

/** Adds an event to those that may go. Returns why it never will; undefined if it may go now or later. */
function judgeEvent(selected: Selected, event: WaitingEvent): string | undefined {
  if (event.whyNot !== null) return event.whyNot === 'recovering' ? undefined : event.whyNot;
  const group = groupOf(selected, event);
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

/** Returns the group of an event, or undefined if no route matches it here. */
function groupOf({ deps, run, rates: ofRun, groups }: Selected, event: FailedEvent): EventGroup | undefined {
  const route = run && routeIn(deps.routes, run.request, event);
  if (!route) return undefined;
  const target = nameTarget(route.target);
  const cause = failureAt(target, event.cause);
  const kind = `${deps.routes.indexOf(route)} ${cause ?? ''} ${event.eventType}`;
  return getOrInsert(groups, kind, () => {
    const rates = [...ratesOf(route), ...ofRun];
    return { priority: 0, route, target, cause, kind, rates, isOrdered: route.ordered, ids: [] };
  });
}
