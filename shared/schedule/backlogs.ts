import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { turnOf } from '../delivery/breakers.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { count, described, listOf, text, textOrNull, timeOrNull } from '../response-values.ts';
import { CauseSchema, type FailingCause, sumCauses } from './causes.ts';
import { countLanes, maxCounted } from './lanes.ts';
import { rulesOf } from './refusals.ts';
import type { RoutedLane, Snapshot } from './snapshot.ts';

/** As `/schedule` returns them. */
export const BacklogSchema = v.strictObject({
  target: described(textOrNull, 'Null for the events that no route matches.'),
  eventTypes: described(listOf(text), 'Up to 100 of its event types; others may go to another target, too.'),
  state: described(
    v.picklist(['open', 'probe', 'down', 'paused', 'held', 'no-route']),
    'open: a tick delivers to it; probe: a tick sends one event to find out whether it is back; down; paused: it asked for a pause; held by an operator; no-route.',
  ),
  because: described(textOrNull, 'Why an operator holds it.'),
  until: described(timeOrNull, 'When a target may be probed, or a pause ends.'),
  waiting: described(count, 'Open events, whether or not their time has come.'),
  isWaitingExact: described(v.boolean(), 'False if more events wait than `waiting` says.'),
  due: described(count, 'Events that a tick that starts now would claim.'),
  dueSince: described(timeOrNull, 'When the first of these became due.'),
  heldBack: described(count, 'Not due, although their time has come: see `state` and `behindKey`.'),
  behindKey: described(count, 'Of these, the events behind an earlier one of their key that is not due.'),
  blockers: described(listOf(text), 'The events that most of these wait for.'),
  refused: described(count, 'Of these, the events that their route refuses: the next tick closes them.'),
  failing: described(count, 'Of these, the events whose cause fails by itself: a tick sends single samples.'),
  causes: described(listOf(CauseSchema), 'What fails by itself there.'),
  soon: described(count, 'Events that become due within the hour.'),
  earliest: described(timeOrNull, 'When the first of these becomes due.'),
  isExact: described(v.boolean(), 'False if there are more events than these numbers say.'),
});

/**
 * An event is due if a tick which starts now would claim it. Else it is held back: the schedule is paused, no
 * route matches it, its target is held or down, its cause fails by itself, or an earlier event of its key is
 * not due.
 */
export type Backlog = Readonly<v.InferOutput<typeof BacklogSchema>>;
export type Blocked = Pick<Backlog, 'blockers' | 'isExact'>;

const maxTypes = 100;

const listOpenTypes = statement<
  { types: readonly string[] },
  { readonly eventType: string; readonly open: number }
>('list-open-types');

/** Lanes are counted if they have no route, if targets share their type, or if they fail by themselves. */
async function listWaits(db: Database, snapshot: Snapshot) {
  const { causes, lanes, isWhole } = snapshot;
  const targetOf = ({ route }: RoutedLane) => route && nameTarget(route.target);
  const byType = Map.groupBy(lanes, ({ eventType }) => eventType);
  // The counts know types, not lanes: they have the events of a type that goes to one target.
  const whole = [...byType].filter(([, own]) => new Set(own.map(targetOf)).size === 1).map(([type]) => type);
  const types = await listOpenTypes(db, { types: whole });
  const open = new Map(types.map(({ eventType, open }) => [eventType, open]));
  const failingCauses = new Set(causes.map(({ cause }) => cause));
  const isCounted = ({ route, eventType, cause }: RoutedLane) =>
    !route || !open.has(eventType) || (cause !== null && failingCauses.has(cause));
  const counted = await countLanes(db, lanes.filter(isCounted));
  const all = [...lanes.filter((lane) => !isCounted(lane)), ...counted];
  return [...Map.groupBy(all, targetOf)].map(([target, own]) => {
    const shared = own.flatMap(({ eventType, events }) => (open.has(eventType) ? [] : (events ?? 0)));
    const ownTypes = new Set(own.map(({ eventType }) => eventType));
    const failing = causes.filter((cause) => cause.target === target);
    const waiting =
      [...ownTypes].reduce((sum, type) => sum + (open.get(type) ?? 0), 0) +
      shared.reduce((sum, events) => sum + Math.min(events, maxCounted), 0);
    return {
      ...judgeBacklog(snapshot, target),
      target: target ?? null,
      lanes: own,
      eventTypes: [...ownTypes].slice(0, maxTypes),
      causes: sumCauses(failing, own).map(({ target: _, ...cause }) => cause),
      waiting,
      isWaitingExact: isWhole && shared.every((events) => events <= maxCounted),
    };
  });
}

/** A paused schedule probes nothing. */
function judgeBacklog({ breakers, pause }: Snapshot, target: string | undefined) {
  if (target === undefined) return { state: 'no-route', because: null, until: null } as const;
  const judged = turnOf(breakers.get(target));
  const isProbed = judged.state === 'down' || judged.state === 'probe';
  return pause && isProbed ? { ...judged, state: 'down' as const, until: null } : judged;
}

/** Lists what waits for each target, and without a route, with what is due of it. */
export async function listBacklogs(db: Database, snapshot: Snapshot): Promise<Backlog[]> {
  const waits = await listWaits(db, snapshot);
  const counts = new Map((await countDue(db, snapshot.lanes)).map((count) => [count.lane, count]));
  return waits.map(({ lanes, ...each }) => {
    const causes = new Map(each.causes.map((cause) => [cause.cause, cause]));
    const due = lanes.flatMap(({ lane, cause }) => {
      const counted = counts.get(lane);
      return counted ? [{ ...counted, cause: causes.get(cause ?? '') }] : [];
    });
    // A paused schedule claims nothing.
    const sums = sumDue(snapshot.pause ? 'held' : each.state, due);
    const isAll = each.isWaitingExact && sums.due + sums.heldBack + sums.soon >= each.waiting;
    return { ...each, ...sums, isExact: isAll || (sums.isExact && snapshot.isWhole) };
  });
}

type Counted = DueCount & { readonly cause: FailingCause | undefined };

function sumDue(state: Backlog['state'], counts: readonly Counted[]) {
  const sum = (of: 'due' | 'behindKey' | 'refused' | 'soon', among = counts) =>
    among.reduce((total, count) => total + count[of], 0);
  const [healthy, failing] = [counts.filter(({ cause }) => !cause), counts.filter(({ cause }) => cause)];
  const samples = countSamples(failing);
  const ready = sum('due', healthy) + samples;
  const due = { open: ready, probe: Math.min(1, ready), down: 0, paused: 0, held: 0, 'no-route': 0 }[state];
  return {
    due,
    dueSince: due > 0 ? earliestOf(healthy.map(({ dueSince }) => dueSince)) : null,
    heldBack: sum('due') - due + sum('behindKey') + sum('refused'),
    behindKey: sum('behindKey'),
    blockers: listMostFrequent(counts.flatMap(({ blockedBy }) => blockedBy)),
    refused: sum('refused'),
    failing: sum('due', failing) - samples,
    soon: sum('soon'),
    earliest: earliestOf(counts.map(({ earliest }) => earliest)),
    isExact: counts.every(({ isExact }) => isExact),
  };
}

function countSamples(failing: readonly Counted[]): number {
  return [...Map.groupBy(failing, ({ cause }) => cause)].reduce((total, [cause, own]) => {
    if (cause?.nextSampleAt && cause.nextSampleAt > new Date()) return total;
    const due = own.reduce((sum, each) => sum + each.due, 0);
    return total + Math.min(due, cause?.samples ?? 1);
  }, 0);
}

/** A page names up to three blockers, and says whether there are more. */
const maxBlockers = 4;

function listMostFrequent(ids: readonly string[]): string[] {
  const alike = [...Map.groupBy(ids, (id) => id)].toSorted(([, a], [, b]) => b.length - a.length);
  return alike.slice(0, maxBlockers).map(([id]) => id);
}

function earliestOf(times: readonly (Date | null)[]): Date | null {
  const known = times.flatMap((time) => (time ? [time.getTime()] : []));
  return known.length === 0 ? null : new Date(Math.min(...known));
}

/** Of a lane; `due` if nothing holds its target. */
type DueCount = Pick<
  Backlog,
  'due' | 'dueSince' | 'behindKey' | 'refused' | 'soon' | 'earliest' | 'isExact'
> &
  Readonly<{ lane: string; blockedBy: readonly string[] }>;

type Pair = Pick<RoutedLane, 'lane' | 'eventType' | 'isStopped'> &
  Readonly<{ priority: number; isOrdered: boolean; rules: string | null }>;

const countPairs = statement<{ pairs: readonly Pair[]; soonSeconds: number; max: number }, DueCount>(
  'count-due',
);

/** Events of a pair, and of all pairs, that are counted at first; then those of the large lanes together. */
const maxSmall = 100;
const maxFirst = 10_000;
const maxLarge = 10_000;
const soonSeconds = 3600;

/** An event of a lane with an order or rules counts as eight: it is looked at, and so is its key. */
const weigh = (pairs: readonly Pair[]) =>
  pairs.reduce((sum, { isOrdered, rules }) => sum + (isOrdered || rules !== null ? 8 : 1), 0);

/** Of small lanes all, and of large ones up to a number that they share. */
export async function countDue(db: Database, lanes: readonly RoutedLane[]): Promise<DueCount[]> {
  const pairs = lanes.flatMap(({ lane, eventType, route, hasKey, priorities, isStopped }) => {
    const isOrdered = route?.ordered === true && hasKey;
    const rules = route ? rulesOf(route.policy) : null;
    return priorities.map((priority) => ({ lane, eventType, priority, isOrdered, rules, isStopped }));
  });
  const first = Math.max(1, Math.min(maxSmall, Math.floor(maxFirst / weigh(pairs))));
  const counts = await countPairs(db, { pairs, soonSeconds, max: first });
  const large = new Set(counts.filter(({ isExact }) => !isExact).map(({ lane }) => lane));
  const max = Math.floor(maxLarge / weigh(pairs.filter(({ lane }) => large.has(lane))));
  return large.size === 0 || max <= first ? counts : countPairs(db, { pairs, soonSeconds, max });
}
