import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Breaker } from '../delivery/breakers.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { count, described, listOf, textOrNull, timeOrNull } from '../response-values.ts';
import { CauseSchema, type FailingCause, sumCauses } from './causes.ts';
import { countLanes, maxCounted } from './lanes.ts';
import type { RoutedLane, Snapshot } from './snapshot.ts';

/** As `/schedule` returns them. */
export const BacklogSchema = v.strictObject({
  target: described(textOrNull, 'Null for the events that no route matches.'),
  state: described(
    v.picklist(['open', 'probe', 'down', 'held', 'no-route']),
    'open: a tick delivers to it; probe: a tick sends one event to find out whether it is back; down; held by an operator; no-route.',
  ),
  because: described(textOrNull, 'Why an operator holds it.'),
  until: described(timeOrNull, 'When a target that is down may be probed.'),
  waiting: described(count, 'Open events, whether or not their time has come.'),
  isWaitingExact: described(v.boolean(), 'False if more events wait than `waiting` says.'),
  due: described(count, 'Events that a tick that starts now would claim.'),
  heldBack: described(count, 'Not due, although their time has come: see `state` and `behindKey`.'),
  behindKey: described(count, 'Of these, the events behind an earlier one of their key that is not due.'),
  failing: described(count, 'Of these, the events whose cause fails by itself: a tick sends single samples.'),
  causes: described(listOf(CauseSchema), 'What fails by itself there.'),
  soon: described(count, 'Events that become due within the hour.'),
  earliest: described(timeOrNull, 'When the first of these becomes due.'),
  isExact: described(v.boolean(), 'False if there are more events than these numbers say.'),
});

type Values = Readonly<v.InferOutput<typeof BacklogSchema>>;

export type Held = Pick<Values, 'state' | 'because' | 'until'>;

/**
 * An event is due if a tick which starts now would claim it. Else it is held back: the schedule is paused, no
 * route matches it, its target is held or down, its cause fails by itself, or an earlier event of its key is
 * not due.
 */
export type Backlog = Values & {
  readonly lanes: readonly RoutedLane[];
  readonly dueSince: Date | null;
};

const unrouted: Held = { state: 'no-route', because: null, until: null };

const listOpenTypes = statement<
  { types: readonly string[] },
  { readonly eventType: string; readonly open: number }
>('list-open-types');

/** Lanes are counted if they have no route, if targets share their type, or if they fail by themselves. */
export async function listWaits(db: Database, { breakers, causes, lanes, isWhole, at }: Snapshot) {
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
      ...(target === undefined ? unrouted : judgeTarget(breakers.get(target), at)),
      target: target ?? null,
      lanes: own,
      causes: sumCauses(failing, own).map(({ target: _, ...cause }) => cause),
      waiting,
      isWaitingExact: isWhole && shared.every((events) => events <= maxCounted),
    };
  });
}

/** The same with the due events, of one target or of all. */
export async function listBacklogs(db: Database, snapshot: Snapshot, only?: string): Promise<Backlog[]> {
  const all = await listWaits(db, snapshot);
  const asked = only === undefined ? all : all.filter(({ target }) => target === only);
  const lanes = asked.flatMap((each) => each.lanes);
  const counts = new Map((await countDue(db, lanes)).map((count) => [count.lane, count]));
  return asked.map((each) => {
    const causes = new Map(each.causes.map((cause) => [cause.cause, cause]));
    const due = each.lanes.flatMap(({ lane, cause }) => {
      const counted = counts.get(lane);
      return counted ? [{ ...counted, cause: causes.get(cause ?? '') }] : [];
    });
    // A paused schedule claims nothing.
    const sums = sumDue(snapshot.pause ? 'held' : each.state, due);
    return { ...each, ...sums, isExact: sums.isExact && snapshot.isWhole };
  });
}

/** A target whose breaker has closed gets all of its events, slowly. */
export function judgeTarget(breaker: Breaker | undefined, at: Date): Held {
  const because = breaker?.heldAt ? `${breaker.heldBy}: ${breaker.heldReason}` : null;
  if (because !== null) return { state: 'held', because, until: null };
  if (breaker === undefined || breaker.state === 'CLOSED') return { state: 'open', because, until: null };
  const { probeAfter } = breaker;
  if (probeAfter && probeAfter <= at) return { state: 'probe', because, until: null };
  return { state: 'down', because, until: probeAfter };
}

type Counted = DueCount & { readonly cause: FailingCause | undefined };

function sumDue(state: Held['state'], counts: readonly Counted[]) {
  const sum = (of: 'due' | 'behindKey' | 'soon', among = counts) =>
    among.reduce((total, count) => total + count[of], 0);
  const [healthy, failing] = [counts.filter(({ cause }) => !cause), counts.filter(({ cause }) => cause)];
  const samples = countSamples(failing);
  const ready = sum('due', healthy) + samples;
  const due = { open: ready, probe: Math.min(1, ready), down: 0, held: 0, 'no-route': 0 }[state];
  const behindKey = sum('behindKey');
  return {
    due,
    dueSince: due > 0 ? earliestOf(healthy.map(({ dueSince }) => dueSince)) : null,
    heldBack: sum('due') - due + behindKey,
    behindKey,
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

function earliestOf(times: readonly (Date | null)[]): Date | null {
  const known = times.flatMap((time) => (time ? [time.getTime()] : []));
  return known.length === 0 ? null : new Date(Math.min(...known));
}

type DueCount = {
  readonly lane: string;
  /** If nothing holds their target. */
  readonly due: number;
  readonly dueSince: Date | null;
  readonly behindKey: number;
  readonly soon: number;
  readonly earliest: Date | null;
  readonly isExact: boolean;
};

type Pair = Readonly<{ lane: string; eventType: string; priority: number; isOrdered: boolean }>;

const countPairs = statement<{ pairs: readonly Pair[]; soonSeconds: number; max: number }, DueCount>(
  'count-due',
);

/** Events of a pair, and of all pairs, that are counted at first; then those of the large lanes together. */
const maxSmall = 100;
const maxFirst = 20_000;
const maxLarge = 10_000;
const soonSeconds = 3600;

/** An event of an ordered lane counts as eight: its key is looked at, too. */
const weigh = (pairs: readonly Pair[]) => pairs.reduce((sum, { isOrdered }) => sum + (isOrdered ? 8 : 1), 0);

/** Of small lanes all, and of large ones up to a number that they share. */
export async function countDue(db: Database, lanes: readonly RoutedLane[]): Promise<DueCount[]> {
  const pairs = lanes.flatMap(({ lane, eventType, route, hasKey, priorities }) => {
    const isOrdered = route?.ordered === true && hasKey;
    return priorities.map((priority) => ({ lane, eventType, priority, isOrdered }));
  });
  if (pairs.length === 0) return [];
  const first = Math.max(1, Math.min(maxSmall, Math.floor(maxFirst / weigh(pairs))));
  const counts = await countPairs(db, { pairs, soonSeconds, max: first });
  const known = new Map(counts.map((count) => [count.lane, count]));
  const large = pairs.filter(({ lane }) => known.get(lane)?.isExact === false);
  const max = Math.floor(maxLarge / weigh(large));
  if (large.length === 0 || max <= first) return counts;
  const small = counts.filter(({ isExact }) => isExact);
  return [...small, ...(await countPairs(db, { pairs: large, soonSeconds, max }))];
}
