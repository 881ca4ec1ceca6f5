import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unless-locked.ts';
import type { Cause } from './cause.ts';
import { breakersOf, countBy, type Dealt, type Limits, nameBreaker, readBreaker } from './deal.ts';
import type { Group, Picker } from './picker.ts';
import { nameBucket, takeTokens } from './rate-limits.ts';
import type { Route } from './routes.ts';

type Wanted = { readonly target: string; readonly cause: Cause; readonly wanted: number };

/** What a breaker gives. One that is `isOpen`, or held without a wait, is waited for only by some. */
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
>('take-turns', import.meta.url);

/** What all workers together allow one of them: the run, the rates of routes, the breakers. */
export type Granted = Pick<Limits, 'all' | 'routes' | 'breakers'> & {
  /** What the paces of targets gave. */
  readonly paces: readonly Paced[];
  /** Groups that get probes: any of their events. */
  readonly probed: ReadonlySet<Group>;
  /** Groups that get nothing for now, and for which their picker does not wait. */
  readonly down: ReadonlySet<Group>;
  /** Until those that gave nothing give more, in ms; undefined if each gave some. */
  readonly waitMs: number | undefined;
};

type Paced = { readonly turn: Turn; readonly ratePerSecond: number; readonly granted: number };

type Terms = { readonly db: Database; readonly picker: Picker<string>; readonly leaseSeconds: number };

/** Takes what is wanted of the limits that workers share. What is not used must be given back. */
export async function takeLimits(terms: Terms, wanted: readonly Dealt[]): Promise<Granted> {
  const all = await terms.picker.take(wanted.length);
  const rates = await takeRates(terms, wanted);
  const turns = await turnsOf(terms, countBy(wanted, breakersOf));
  const paces = await takePaces(terms, turns);
  const paced = new Map(paces.map(({ turn, granted }) => [turn, granted]));
  const { down, waits } = judgeWaits(terms, wanted, turns);
  const slow = paces.filter(({ granted }) => granted === 0).map(({ ratePerSecond }) => 1000 / ratePerSecond);
  const waitMs = Math.min(...rates.waits, ...waits, ...slow);
  const open = new Set(turns.filter(({ isOpen }) => isOpen).map(nameBreaker));
  const groups = wanted.map(({ group }) => group);
  return {
    all,
    routes: rates.routes,
    breakers: new Map(turns.map((turn) => [nameBreaker(turn), paced.get(turn) ?? turn.granted])),
    paces,
    probed: new Set(groups.filter((group) => breakersOf(group).some((name) => open.has(name)))),
    down,
    waitMs: Number.isFinite(waitMs) ? waitMs : undefined,
  };
}

async function takeRates({ db }: Terms, wanted: readonly Dealt[]) {
  const routes = new Map<Route, number>();
  const waits: number[] = [];
  for (const [route, events] of countBy(wanted, (group) => [group.route])) {
    const { ratePerSecond } = route.policy;
    if (ratePerSecond === undefined) continue;
    const granted = await takeTokens(db, { route: nameBucket(route), ratePerSecond, wanted: events });
    routes.set(route, granted);
    if (granted === 0) waits.push(1000 / ratePerSecond);
  }
  return { routes, waits };
}

/** Takes from the paces of targets what their breakers gave. */
async function takePaces({ db }: Terms, turns: readonly Turn[]): Promise<readonly Paced[]> {
  const paces: Paced[] = [];
  for (const turn of turns) {
    const { target, pace: ratePerSecond, granted: wanted } = turn;
    if (ratePerSecond === null || wanted <= 0) continue;
    const granted = await takeTokens(db, { route: namePace(target), ratePerSecond, wanted });
    paces.push({ turn, ratePerSecond, granted });
  }
  return paces;
}

/** Names the bucket of a target's pace. */
function namePace(target: string): string {
  return `pace ${target}`;
}

/** Which groups get nothing that their picker waits for, and how long the others wait, in ms. */
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
      if (picker.waitsFor(group, waitMs, !turn.isOpen)) waits.push(waitMs);
      else down.add(group);
    }
  }
  return { down, waits };
}

/** Gives back what was taken and not used. */
export async function giveBack(terms: Terms, granted: Granted, used: readonly Dealt[]): Promise<void> {
  const { db, picker } = terms;
  if (granted.all > used.length) await picker.take(used.length - granted.all);
  const ofRoutes = countBy(used, (group) => [group.route]);
  for (const [route, taken] of granted.routes) {
    const wanted = (ofRoutes.get(route) ?? 0) - taken;
    const { ratePerSecond = 1 } = route.policy;
    if (wanted < 0) await takeTokens(db, { route: nameBucket(route), ratePerSecond, wanted });
  }
  const ofBreakers = countBy(used, breakersOf);
  for (const { turn, ratePerSecond, granted: taken } of granted.paces) {
    const wanted = (ofBreakers.get(nameBreaker(turn)) ?? 0) - taken;
    if (wanted < 0) await takeTokens(db, { route: namePace(turn.target), ratePerSecond, wanted });
  }
  const unused = [...granted.breakers].map(
    ([name, taken]) => [name, (ofBreakers.get(name) ?? 0) - taken] as const,
  );
  await turnsOf(terms, new Map(unused.filter(([, events]) => events < 0)));
}

async function turnsOf({ db, picker, leaseSeconds }: Terms, events: ReadonlyMap<string, number>) {
  if (events.size === 0) return [];
  const { obeysBreakers, obeysHolds } = picker;
  const wanted = [...events].map(([name, wanted]) => ({ ...readBreaker(name), wanted }));
  return unlessLocked(takeTurns(db, { wanted, obeysBreakers, obeysHolds, leaseSeconds }), []);
}
