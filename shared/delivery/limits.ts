import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { type Cause, probesAtOnce } from './cause.ts';
import {
  countLimited,
  type Dealt,
  type Limited,
  type Limits,
  limitedBy,
  nameBreaker,
  readBreaker,
} from './deal.ts';
import type { Group } from './picker.ts';
import { nameBucket, takeTokens } from './rate-limits.ts';
import type { Picker } from './work-state.ts';

type Wanted = { readonly target: string; readonly cause: Cause; readonly wanted: number };

/** The grant of a breaker. One that is `isOpen`, or held without a wait, is waited for only by some. */
type Turn = {
  readonly target: string;
  readonly cause: Cause;
  readonly granted: number;
  readonly isOpen: boolean;
  /** Deliveries per second that the target takes; null without a limit. */
  readonly pace: number | null;
  readonly waitSeconds: number | null;
};

/**
 * Takes deliveries from the breakers of targets and causes, their ramps, paces and holds. Returns only those
 * that have one of these.
 */
export const takeTurns = statement<
  { wanted: readonly Wanted[]; obeysHolds: boolean; obeysBreakers: boolean; leaseSeconds: number },
  Turn
>('take-turns', { probesAtOnce });

/** The grant of all workers together to one of them: the run, the rates of routes, the breakers. */
export type Granted = Pick<Limits, 'all' | 'parts'> & {
  readonly buckets: readonly Bucket[];
  /** Groups that get probes: any of their events. */
  readonly probed: ReadonlySet<Group>;
  /** Groups that get nothing for now, and for which their picker does not wait. */
  readonly down: ReadonlySet<Group>;
  /** Until those that gave nothing give more, in ms; undefined if each gave some. */
  readonly waitMs: number | undefined;
};

/** The grant of a token bucket: that of a route with a rate, or that of a target with a pace. */
type Bucket = {
  readonly of: Limited;
  readonly name: string;
  readonly ratePerSecond: number;
  readonly granted: number;
};

type Terms = { readonly db: Database; readonly picker: Picker<string>; readonly leaseSeconds: number };

/** Takes the wanted number of the limits that workers share. The unused rest must be given back. */
export async function takeLimits(terms: Terms, wanted: readonly Dealt[]): Promise<Granted> {
  const all = await terms.picker.take(wanted.length);
  const counts = countLimited(wanted);
  const turns = await turnsOf(terms, counts);
  const buckets = await takeBuckets(terms, counts, turns);
  const groups = [...new Set(wanted.map(({ group }) => group))];
  const { down, waits } = judgeWaits(terms, groups, turns);
  const empty = buckets.filter(({ granted }) => granted === 0);
  const waitMs = Math.min(...waits, ...empty.map(({ ratePerSecond }) => 1000 / ratePerSecond));
  const open = new Set<Limited>(turns.filter(({ isOpen }) => isOpen).map(nameBreaker));
  return {
    all,
    buckets,
    parts: new Map<Limited, number>([
      ...turns.map((turn) => [nameBreaker(turn), turn.granted] as const),
      ...buckets.map(({ of, granted }) => [of, granted] as const),
    ]),
    probed: new Set(groups.filter((group) => limitedBy(group).some((each) => open.has(each)))),
    down,
    waitMs: Number.isFinite(waitMs) ? waitMs : undefined,
  };
}

/** Takes from the rates of routes, and from the paces of targets what their breakers gave. */
async function takeBuckets(
  { db }: Terms,
  counts: ReadonlyMap<Limited, number>,
  turns: readonly Turn[],
): Promise<Bucket[]> {
  const ofRoutes = [...counts].flatMap(([of, wanted]) => {
    if (typeof of === 'string') return [];
    return [{ of, name: nameBucket(of), ratePerSecond: of.policy.ratePerSecond ?? null, wanted }];
  });
  const ofTargets = turns.map(({ pace: ratePerSecond, granted: wanted, ...turn }) => {
    return { of: nameBreaker(turn), name: `pace ${turn.target}`, ratePerSecond, wanted };
  });
  const buckets: Bucket[] = [];
  for (const { ratePerSecond, wanted, ...bucket } of [...ofRoutes, ...ofTargets]) {
    if (ratePerSecond === null || wanted <= 0) continue;
    const granted = await takeTokens(db, { route: bucket.name, ratePerSecond, wanted });
    buckets.push({ ...bucket, ratePerSecond, granted });
  }
  return buckets;
}

/** The groups that get nothing that their picker waits for, and the waits of the others, in ms. */
function judgeWaits({ picker }: Terms, groups: readonly Group[], turns: readonly Turn[]) {
  const down = new Set<Group>();
  const waits: number[] = [];
  const closed = new Map<Limited, Turn>(
    turns.filter(({ granted }) => granted === 0).map((turn) => [nameBreaker(turn), turn]),
  );
  for (const group of groups) {
    for (const each of limitedBy(group)) {
      const turn = closed.get(each);
      if (!turn) continue;
      const waitMs = (turn.waitSeconds ?? Number.POSITIVE_INFINITY) * 1000;
      if (picker.waitsFor(group, { ms: waitMs, isLimit: !turn.isOpen })) waits.push(waitMs);
      else down.add(group);
    }
  }
  return { down, waits };
}

/** Gives back what was taken and not used. */
export async function giveBack(terms: Terms, granted: Granted, used: readonly Dealt[]): Promise<void> {
  const { db, picker } = terms;
  if (granted.all > used.length) await picker.take(used.length - granted.all);
  const counts = countLimited(used);
  const unused = (of: Limited, taken: number) => (counts.get(of) ?? 0) - taken;
  for (const { of, name: route, ratePerSecond, granted: taken } of granted.buckets)
    if (unused(of, taken) < 0) await takeTokens(db, { route, ratePerSecond, wanted: unused(of, taken) });
  const rest = [...granted.parts].map(([of, taken]) => [of, unused(of, taken)] as const);
  await turnsOf(terms, new Map(rest.filter(([, events]) => events < 0)));
}

async function turnsOf({ db, picker, leaseSeconds }: Terms, events: ReadonlyMap<Limited, number>) {
  const { obeysBreakers, obeysHolds } = picker;
  const wanted = [...events].flatMap(([name, wanted]) =>
    typeof name === 'string' ? [{ ...readBreaker(name), wanted }] : [],
  );
  if (wanted.length === 0) return [];
  return unlessLocked(takeTurns(db, { wanted, obeysBreakers, obeysHolds, leaseSeconds }), []);
}
