import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { type Cause, probesAtOnce } from './cause.ts';
import { breakersOf, countBy, type Dealt, type Limits, nameBreaker, readBreaker } from './deal.ts';
import type { Group } from './picker.ts';
import { nameBucket, takeTokens } from './rate-limits.ts';
import type { Route } from './routes.ts';
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
>('take-turns', import.meta.url, { probesAtOnce });

/** The grant of all workers together to one of them: the run, the rates of routes, the breakers. */
export type Granted = Pick<Limits, 'all' | 'routes' | 'breakers'> & {
  readonly buckets: readonly Bucket[];
  /** Groups that get probes: any of their events. */
  readonly probed: ReadonlySet<Group>;
  /** Groups that get nothing for now, and for which their picker does not wait. */
  readonly down: ReadonlySet<Group>;
  /** Until those that gave nothing give more, in ms; undefined if each gave some. */
  readonly waitMs: number | undefined;
};

/** The grant of a token bucket: that of a route with a rate, or that of the pace of a target, by its breaker. */
type Bucket = {
  readonly of: Route | string;
  readonly name: string;
  readonly ratePerSecond: number;
  readonly granted: number;
};

type Terms = { readonly db: Database; readonly picker: Picker<string>; readonly leaseSeconds: number };

/** Takes the wanted number of the limits that workers share. The unused rest must be given back. */
export async function takeLimits(terms: Terms, wanted: readonly Dealt[]): Promise<Granted> {
  const all = await terms.picker.take(wanted.length);
  const routes = await takeRates(terms, wanted);
  const turns = await turnsOf(terms, countBy(wanted, breakersOf));
  const paces = await takePaces(terms, turns);
  const { down, waits } = judgeWaits(terms, wanted, turns);
  const buckets = [...routes.values(), ...paces.values()];
  const empty = buckets.filter(({ granted }) => granted === 0);
  const waitMs = Math.min(...waits, ...empty.map(({ ratePerSecond }) => 1000 / ratePerSecond));
  const open = new Set(turns.filter(({ isOpen }) => isOpen).map(nameBreaker));
  const groups = wanted.map(({ group }) => group);
  const grantedBy = (turn: Turn) => paces.get(nameBreaker(turn))?.granted ?? turn.granted;
  return {
    all,
    routes: new Map([...routes].map(([route, { granted }]) => [route, granted])),
    breakers: new Map(turns.map((turn) => [nameBreaker(turn), grantedBy(turn)])),
    buckets,
    probed: new Set(groups.filter((group) => breakersOf(group).some((name) => open.has(name)))),
    down,
    waitMs: Number.isFinite(waitMs) ? waitMs : undefined,
  };
}

async function takeRates({ db }: Terms, dealt: readonly Dealt[]): Promise<ReadonlyMap<Route, Bucket>> {
  const buckets = new Map<Route, Bucket>();
  for (const [of, wanted] of countBy(dealt, (group) => [group.route])) {
    const { ratePerSecond } = of.policy;
    if (ratePerSecond === undefined) continue;
    const name = nameBucket(of);
    const granted = await takeTokens(db, { route: name, ratePerSecond, wanted });
    buckets.set(of, { of, name, ratePerSecond, granted });
  }
  return buckets;
}

/** Takes from the paces of targets what their breakers gave. */
async function takePaces({ db }: Terms, turns: readonly Turn[]): Promise<ReadonlyMap<string, Bucket>> {
  const buckets = new Map<string, Bucket>();
  for (const turn of turns) {
    const { target, pace: ratePerSecond, granted: wanted } = turn;
    if (ratePerSecond === null || wanted <= 0) continue;
    const [of, name] = [nameBreaker(turn), `pace ${target}`];
    const granted = await takeTokens(db, { route: name, ratePerSecond, wanted });
    buckets.set(of, { of, name, ratePerSecond, granted });
  }
  return buckets;
}

/** The groups that get nothing that their picker waits for, and the waits of the others, in ms. */
function judgeWaits({ picker }: Terms, wanted: readonly Dealt[], turns: readonly Turn[]) {
  const down = new Set<Group>();
  const waits: number[] = [];
  const closed = new Map(
    turns.filter(({ granted }) => granted === 0).map((turn) => [nameBreaker(turn), turn]),
  );
  for (const group of new Set(wanted.map((dealt) => dealt.group))) {
    for (const name of breakersOf(group)) {
      const turn = closed.get(name);
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
  const counts = countBy<Route | string>(used, (group) => [group.route, ...breakersOf(group)]);
  for (const { of, name: route, ratePerSecond, granted: taken } of granted.buckets) {
    const wanted = (counts.get(of) ?? 0) - taken;
    if (wanted < 0) await takeTokens(db, { route, ratePerSecond, wanted });
  }
  const unused = [...granted.breakers].map(
    ([name, taken]) => [name, (counts.get(name) ?? 0) - taken] as const,
  );
  await turnsOf(terms, new Map(unused.filter(([, events]) => events < 0)));
}

async function turnsOf({ db, picker, leaseSeconds }: Terms, events: ReadonlyMap<string, number>) {
  if (events.size === 0) return [];
  const { obeysBreakers, obeysHolds } = picker;
  const wanted = [...events].map(([name, wanted]) => ({ ...readBreaker(name), wanted }));
  return unlessLocked(takeTurns(db, { wanted, obeysBreakers, obeysHolds, leaseSeconds }), []);
}
