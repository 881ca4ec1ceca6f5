import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import type { Breaker } from '../delivery/breakers.ts';
import { count, described, listOf, textOrNull, timeOrNull } from '../response-values.ts';
import { CauseSchema, type FailingCause, sumCauses } from './causes.ts';
import { countDue, type DueCount } from './count-due.ts';
import { countWaiting } from './count-waiting.ts';
import type { RoutedLane, Snapshot } from './snapshot.ts';

/** The open events of a target, or of no route, as `/schedule` returns them. */
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
  heldBack: described(
    count,
    'Events whose time has come, and that are not due: see `state` and `behindKey`.',
  ),
  behindKey: described(
    count,
    'Of these, the events of an ordered route behind one of their key that is not due or failed permanently.',
  ),
  failing: described(count, 'Of these, the events whose cause fails by itself: a tick sends single samples.'),
  causes: described(listOf(CauseSchema), 'What fails by itself there.'),
  soon: described(count, 'Events that become due within the hour.'),
  earliest: described(timeOrNull, 'When the first of these becomes due.'),
  isExact: described(v.boolean(), 'False if there are more events than these numbers say.'),
});

type Values = Readonly<v.InferOutput<typeof BacklogSchema>>;

/** Whether a tick delivers to a target. */
export type Held = Pick<Values, 'state' | 'because' | 'until'>;

/**
 * The one definition of what is due: an event that a tick which starts now would claim. An event whose time
 * has come is held back, not due, if no route matches it, its target is held or down, its cause fails by
 * itself, or an earlier event of its key is not due.
 */
export type Backlog = Values & {
  readonly lanes: readonly RoutedLane[];
  /** The earliest time of those that are due. */
  readonly dueSince: Date | null;
};

const unrouted: Held = { state: 'no-route', because: null, until: null };

/** Counts what waits for each target that has open events; `target` is null for those without a route. */
export async function listWaits(db: Database, snapshot: Snapshot) {
  return [...(await countWaiting(db, snapshot))].map(([target, { events, isExact, lanes }]) => {
    const held = target === undefined ? unrouted : judgeTarget(snapshot.breakers.get(target), snapshot.at);
    const open = snapshot.causes.filter((cause) => cause.target === target);
    const causes = sumCauses(open, lanes).map(({ target: _, ...cause }) => cause);
    return { ...held, target: target ?? null, lanes, causes, waiting: events, isWaitingExact: isExact };
  });
}

/** The same with what is due, of one target or of all. */
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
    const sums = sumDue(each.state, due);
    return { ...each, ...sums, isExact: sums.isExact && snapshot.isWhole };
  });
}

/** Whether a tick delivers to a target: one whose breaker has closed gets all of its events, slowly. */
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

/** A tick sends samples of each cause whose time has come. */
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
