import * as v from 'valibot';
import { countBy, sumEvents } from '../count-of.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { turnOf } from '../delivery/breakers.ts';
import { count, described, listOf, text, textOrNull, timeOrNull } from '../response-values.ts';
import { CauseSchema, type FailingCause, sumCauses } from './causes.ts';
import { countDue, type DueCount } from './count-due.ts';
import { countLanes } from './lanes.ts';
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
  until: described(timeOrNull, 'When a target may be probed, or its pause or hold ends.'),
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

/** Lanes are counted if targets share their type, or if they fail by themselves. */
async function listWaits(db: Database, snapshot: Snapshot) {
  const { causes, lanes, isWhole } = snapshot;
  const targetOf = ({ target }: RoutedLane) => target;
  const byType = Map.groupBy(lanes, ({ eventType }) => eventType);
  // The counts know types, not lanes: they have the events of a type that goes to one target.
  const whole = [...byType].filter(([, own]) => new Set(own.map(targetOf)).size === 1).map(([type]) => type);
  const listed = await listOpenTypes(db, { types: whole });
  const open = new Map(listed.map(({ eventType, open }) => [eventType, open]));
  const failing = new Set(causes.map(({ cause }) => cause));
  const isCounted = ({ eventType, cause }: RoutedLane) =>
    !open.has(eventType) || (cause !== null && failing.has(cause));
  const counted = Map.groupBy(await countLanes(db, lanes.filter(isCounted)), targetOf);
  return [...Map.groupBy(lanes, targetOf)].map(([target, own]) => {
    const countedHere = counted.get(target) ?? [];
    const shared = countedHere.filter(({ eventType }) => !open.has(eventType));
    const types = [...new Set(own.map(({ eventType }) => eventType))];
    const causesHere = causes.filter((cause) => cause.target === target);
    return {
      ...judgeBacklog(snapshot, target),
      target: target ?? null,
      lanes: own,
      eventTypes: types.slice(0, maxTypes),
      causes: sumCauses(causesHere, countedHere).map(({ target: _, ...cause }) => cause),
      waiting: types.reduce((sum, type) => sum + (open.get(type) ?? 0), sumEvents(shared)),
      isWaitingExact: isWhole && shared.every(({ isExact }) => isExact),
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
  const counts = Map.groupBy(await countDue(db, snapshot.lanes), ({ lane }) => lane);
  return waits.map(({ lanes, ...each }) => {
    const causes = new Map(each.causes.map((cause) => [cause.cause, cause]));
    const counted = lanes.flatMap(({ lane, cause }) =>
      (counts.get(lane) ?? []).map((count) => ({ ...count, cause: causes.get(cause ?? '') })),
    );
    // A paused schedule claims nothing.
    const sums = sumDue(snapshot.pause ? 'held' : each.state, counted);
    const isAll = each.isWaitingExact && sums.due + sums.heldBack + sums.soon >= each.waiting;
    return { ...each, ...sums, isExact: isAll || (sums.isExact && snapshot.isWhole) };
  });
}

type Counted = DueCount & { readonly cause: FailingCause | undefined };

function sumDue(state: Backlog['state'], counts: readonly Counted[]) {
  const of = (turn: DueCount['turn']) => counts.filter((count) => count.turn === turn);
  const [ready, soon, behind] = [of('due'), of('soon'), of('behind')];
  const [healthy, failing] = [ready.filter(({ cause }) => !cause), ready.filter(({ cause }) => cause)];
  const samples = countSamples(failing);
  const most = sumEvents(healthy) + samples;
  const due = { open: most, probe: Math.min(1, most), down: 0, paused: 0, held: 0, 'no-route': 0 }[state];
  return {
    due,
    dueSince: due > 0 ? findFirst(healthy) : null,
    heldBack: sumEvents(ready) - due + sumEvents(behind) + sumEvents(of('refused')),
    behindKey: sumEvents(behind),
    blockers: listBlockers(behind),
    refused: sumEvents(of('refused')),
    failing: sumEvents(failing) - samples,
    soon: sumEvents(soon),
    earliest: findFirst(soon),
    isExact: counts.every(({ isExact }) => isExact),
  };
}

function countSamples(failing: readonly Counted[]): number {
  return [...Map.groupBy(failing, ({ cause }) => cause)].reduce((total, [cause, own]) => {
    if (cause?.nextSampleAt && cause.nextSampleAt > new Date()) return total;
    return total + Math.min(sumEvents(own), cause?.samples ?? 1);
  }, 0);
}

/** A page names up to three blockers, and says whether there are more. */
const maxBlockers = 4;

function listBlockers(behind: readonly DueCount[]): string[] {
  const stops = behind.flatMap(({ stops }) => stops.map((id) => ({ id, events: 1 })));
  return countBy(stops, ({ id }) => id)
    .largest.slice(0, maxBlockers)
    .map(({ value }) => value);
}

function findFirst(counts: readonly DueCount[]): Date | null {
  const times = counts.map(({ firstAt }) => firstAt.getTime());
  return times.length === 0 ? null : new Date(Math.min(...times));
}
