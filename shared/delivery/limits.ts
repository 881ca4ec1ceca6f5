import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unless-locked.ts';
import { countBy, type Dealt, type Limits } from './deal.ts';
import type { Picker } from './picker.ts';
import { nameBucket, takeTokens } from './rate-limits.ts';
import type { Route } from './routes.ts';

type Wanted = { readonly target: string; readonly wanted: number };

/**
 * Takes deliveries to targets from their breakers, ramps and holds. Returns only the targets that have one of
 * these.
 */
export const takeTurns = statement<
  { wanted: readonly Wanted[]; obeysHolds: boolean; obeysBreakers: boolean; leaseSeconds: number },
  { readonly target: string; readonly granted: number; readonly isUp: boolean }
>('take-turns', import.meta.url);

/** What all workers together allow one of them: the run, the rates of routes, the breakers of targets. */
export type Granted = Limits & {
  /** Targets that give nothing until something else happens. */
  readonly down: ReadonlySet<string>;
  /** Until a route or a target that gave nothing gives more, in ms; undefined if each gave some. */
  readonly waitMs: number | undefined;
};

type Terms = { readonly db: Database; readonly picker: Picker<string>; readonly leaseSeconds: number };

/** The wait in ms for the next second of a ramp: it may have begun at any time. */
const rampWaitMs = 200;

/** Takes what is wanted of the limits that workers share. What is not used must be given back. */
export async function takeLimits(terms: Terms, wanted: readonly Dealt[]): Promise<Granted> {
  const { db, picker } = terms;
  const all = await picker.take(wanted.length);
  const routes = new Map<Route, number>();
  const waits: number[] = [];
  for (const [route, events] of countBy(wanted, (group) => group.route)) {
    const { ratePerSecond } = route.policy;
    if (ratePerSecond === undefined) continue;
    const granted = await takeTokens(db, { route: nameBucket(route), ratePerSecond, wanted: events });
    routes.set(route, granted);
    if (granted === 0) waits.push(1000 / ratePerSecond);
  }
  const turns = await turnsOf(
    terms,
    countBy(wanted, (group) => group.target),
  );
  if (turns.some(({ granted, isUp }) => granted === 0 && isUp)) waits.push(rampWaitMs);
  return {
    all,
    routes,
    targets: new Map(turns.map(({ target, granted }) => [target, granted])),
    down: new Set(turns.filter(({ granted, isUp }) => granted === 0 && !isUp).map(({ target }) => target)),
    waitMs: waits.length > 0 ? Math.min(...waits) : undefined,
  };
}

/** Gives back what was taken and not used. */
export async function giveBack(terms: Terms, granted: Granted, used: readonly Dealt[]): Promise<void> {
  const { db, picker } = terms;
  if (granted.all > used.length) await picker.take(used.length - granted.all);
  const ofRoutes = countBy(used, (group) => group.route);
  for (const [route, taken] of granted.routes) {
    const wanted = (ofRoutes.get(route) ?? 0) - taken;
    const { ratePerSecond = 1 } = route.policy;
    if (wanted < 0) await takeTokens(db, { route: nameBucket(route), ratePerSecond, wanted });
  }
  const ofTargets = countBy(used, (group) => group.target);
  const unused = [...granted.targets].map(
    ([target, taken]) => [target, (ofTargets.get(target) ?? 0) - taken] as const,
  );
  await turnsOf(terms, new Map(unused.filter(([, events]) => events < 0)));
}

async function turnsOf({ db, picker, leaseSeconds }: Terms, events: ReadonlyMap<string, number>) {
  if (events.size === 0) return [];
  const { obeysBreakers, obeysHolds } = picker;
  const wanted = [...events].map(([target, wanted]) => ({ target, wanted }));
  return unlessLocked(takeTurns(db, { wanted, obeysBreakers, obeysHolds, leaseSeconds }), []);
}
