import type { Database } from '../database/database.ts';
import { type Breaker, listBreakers } from '../delivery/breakers.ts';
import type { Route } from '../delivery/routes.ts';
import { type FailingCause, listCauses } from './causes.ts';
import { countCauses } from './count-causes.ts';
import { countDue, type DueCount } from './count-due.ts';
import { countWaiting, type WaitingLane } from './count-waiting.ts';

/** Whether a tick delivers to a target: `probe` sends one event to find out whether the target is back. */
export const backlogStates = ['open', 'probe', 'down', 'held', 'no-route'] as const;

export type Held = {
  readonly state: (typeof backlogStates)[number];
  /** Why an operator holds it. */
  readonly because: string | null;
  /** When a target that is down may be probed. */
  readonly until: Date | null;
};

/**
 * The open events of a target, or of no route. This is the one definition of what is due: an event that a
 * tick which starts now would claim. An event whose time has come is held back, not due, if no route matches
 * it, its target is held or down, its cause fails by itself, or an earlier event of its key is not due.
 */
export type Backlog = Held & {
  readonly target: string | null;
  readonly lanes: readonly WaitingLane[];
  /** What fails by itself there. */
  readonly causes: readonly FailingCause[];
  readonly waiting: number;
  readonly isWaitingExact: boolean;
  readonly due: number;
  /** The earliest time of those that are due. */
  readonly dueSince: Date | null;
  readonly heldBack: number;
  /** Of those that are held back, the ones behind an earlier event of their key. */
  readonly behindKey: number;
  /** Of those that are held back, the ones whose cause fails by itself. */
  readonly failing: number;
  readonly soon: number;
  readonly earliest: Date | null;
  /** False if there are more events than the numbers but `waiting` say. */
  readonly isExact: boolean;
};

/** Reads what waits for each target that has open events; `target` is null for those without a route. */
export async function listBacklogs(db: Database, routes: readonly Route[]): Promise<Backlog[]> {
  const at = new Date();
  const [waiting, breakers, open] = await Promise.all([
    countWaiting(db, routes),
    listBreakers(db, {}),
    listCauses(db, {}),
  ]);
  const lanes = [...waiting.values()].flatMap((each) => each.lanes);
  const isOrdered = ({ route, hasKey }: WaitingLane) => route?.ordered === true && hasKey;
  const counts = await countDue(
    db,
    lanes.map((lane) => ({ lane: lane.lane, isOrdered: isOrdered(lane) })),
  );
  const byLane = new Map(counts.map((count) => [count.lane, count]));
  const causes = Map.groupBy(await countCauses(db, lanes, open), (each) => each.target);
  const states = new Map(breakers.map((breaker) => [breaker.target, breaker]));
  return [...waiting].map(([target, { events, isExact, lanes: own }]): Backlog => {
    const held = judge(target, target === undefined ? undefined : states.get(target), at);
    const failing = target === undefined ? [] : (causes.get(target) ?? []);
    const byCause = new Map(failing.map((each) => [each.cause, each]));
    const due = own.flatMap((lane) => {
      const counted = byLane.get(lane.lane);
      const cause = lane.cause === null ? undefined : byCause.get(lane.cause);
      return counted ? [{ ...counted, cause }] : [];
    });
    const about = {
      target: target ?? null,
      lanes: own,
      causes: failing.map(({ target: _, ...each }) => each),
    };
    return { ...about, waiting: events, isWaitingExact: isExact, ...held, ...sumDue(held.state, due) };
  });
}

/** Reads the breakers, and returns whether a tick delivers to a target now. */
export async function openJudge(
  db: Database,
): Promise<(target: string) => Held & { readonly pausedUntil: Date }> {
  const breakers = new Map((await listBreakers(db, {})).map((breaker) => [breaker.target, breaker]));
  const at = new Date();
  return (target) => {
    const breaker = breakers.get(target);
    return { ...judge(target, breaker, at), pausedUntil: breaker?.pausedUntil ?? new Date(0) };
  };
}

/** One whose breaker has closed gets its events slowly, but all of them. */
function judge(target: string | undefined, breaker: Breaker | undefined, at: Date): Held {
  const because = breaker?.heldAt ? `${breaker.heldBy}: ${breaker.heldReason}` : null;
  if (target === undefined) return { state: 'no-route', because, until: null };
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
  // A tick sends a sample of each cause whose time has come.
  const samples = new Set(failing.filter(isSampled).map(({ cause }) => cause?.cause)).size;
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

function isSampled({ due, cause }: Counted): boolean {
  return due > 0 && (cause?.nextSampleAt ?? new Date(0)) <= new Date();
}

function earliestOf(times: readonly (Date | null)[]): Date | null {
  const known = times.flatMap((time) => (time ? [time.getTime()] : []));
  return known.length === 0 ? null : new Date(Math.min(...known));
}
