import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { breakerTerms } from './breaker-terms.ts';
import { type Cause, ofTarget } from './cause.ts';
import { countLimited, type Dealt, type Limited, limitedBy, nameBreaker, readBreaker } from './deal.ts';
import type { Closed, Group } from './picker.ts';
import type { Route } from './routes.ts';
import { nameTarget } from './targets/target-kinds.ts';
import type { Work } from './work-state.ts';

type Wanted = { readonly target: string; readonly cause: Cause; readonly wanted: number };

/** The grant of a breaker. One that is open, or held without a wait, is waited for only by some. */
type Turn = {
  readonly target: string;
  readonly cause: Cause;
  readonly granted: number;
  readonly isOpen: boolean;
  readonly waitSeconds: number | null;
};

/** Takes deliveries from breakers. Returns only those that limit. */
export const takeTurns = statement<
  { wanted: readonly Wanted[]; obeysHolds: boolean; obeysBreakers: boolean },
  Turn
>('take-turns', breakerTerms);

/** The share of one worker in the run, the rates of routes and the breakers. */
type Granted = Awaited<ReturnType<typeof takeLimits>>;

/** The token bucket of a route with a rate. */
type Bucket = {
  readonly of: Route;
  readonly name: string;
  readonly ratePerSecond: number;
  readonly granted: number;
};

/** Takes the wanted number of the limits that workers share. The unused rest must be given back. */
export async function takeLimits(work: Work, wanted: readonly Dealt[]) {
  const all = await work.picker.take(work, wanted.length);
  const counts = countLimited(wanted);
  const turns = await turnsOf(work, counts);
  const buckets = await takeBuckets(work, counts);
  const groups = [...new Set(wanted.map(({ group }) => group))];
  const waits = judgeWaits(work, groups, turns);
  const empty = buckets.filter(({ granted }) => granted === 0);
  const waitMs = Math.min(...waits, ...empty.map(({ ratePerSecond }) => 1000 / ratePerSecond));
  return {
    all,
    buckets,
    parts: new Map<Limited, number>([
      ...turns.map((turn) => [nameBreaker(turn), turn.granted] as const),
      ...buckets.map(({ of, granted }) => [of, granted] as const),
    ]),
    turns,
    /** In ms until those that gave nothing give more; undefined if each gave some. */
    waitMs: Number.isFinite(waitMs) ? waitMs : undefined,
  };
}

async function takeBuckets({ deps: { db } }: Work, counts: ReadonlyMap<Limited, number>): Promise<Bucket[]> {
  const buckets: Bucket[] = [];
  for (const [of, wanted] of counts) {
    if (typeof of === 'string' || of.policy.ratePerSecond === undefined) continue;
    const { ratePerSecond } = of.policy;
    // A route has no name of its own: its conditions and its target identify it.
    const name = `${nameTarget(of.target)} ${JSON.stringify(of.match)}`;
    const granted = await takeTokens(db, { route: name, ratePerSecond, wanted });
    buckets.push({ of, name, ratePerSecond, granted });
  }
  return buckets;
}

/** Closes the groups for which their picker does not wait. Returns how long the others wait, in ms. */
function judgeWaits(work: Work, groups: readonly Group[], turns: readonly Turn[]): number[] {
  const waits: number[] = [];
  const empty = new Map<Limited, Turn>(
    turns.filter(({ granted }) => granted === 0).map((turn) => [nameBreaker(turn), turn]),
  );
  for (const group of groups)
    for (const turn of limitedBy(group).flatMap((each) => empty.get(each) ?? [])) {
      const ms = (turn.waitSeconds ?? Number.POSITIVE_INFINITY) * 1000;
      const by = nameClosed(turn);
      if (work.picker.waitsFor(work, group, { ms, of: turn.isOpen ? by : 'limit' })) waits.push(ms);
      else group.closed = by;
    }
  return waits;
}

function nameClosed({ cause, waitSeconds }: Turn): Closed {
  if (waitSeconds === null) return 'target held';
  return cause === ofTarget ? 'target down' : 'cause fails';
}

/** Gives back what was taken and not used. The next probes wait for the answer to one that was used. */
export async function giveBack(work: Work, granted: Granted, used: readonly Dealt[]): Promise<void> {
  const { deps, picker } = work;
  if (granted.all > used.length) await picker.take(work, used.length - granted.all);
  const counts = countLimited(used);
  const unused = (of: Limited, taken: number) => (counts.get(of) ?? 0) - taken;
  for (const { of, name: route, ratePerSecond, granted: taken } of granted.buckets)
    if (unused(of, taken) < 0) await takeTokens(deps.db, { route, ratePerSecond, wanted: unused(of, taken) });
  const rest = granted.turns
    .filter((turn) => !turn.isOpen || !counts.has(nameBreaker(turn)))
    .map((turn) => [nameBreaker(turn), unused(nameBreaker(turn), turn.granted)] as const);
  await turnsOf(work, new Map(rest.filter(([, events]) => events < 0)));
}

async function turnsOf({ deps: { db }, picker }: Work, events: ReadonlyMap<Limited, number>) {
  const { obeysBreakers, obeysHolds } = picker;
  const wanted = [...events].flatMap(([name, wanted]) =>
    typeof name === 'string' ? [{ ...readBreaker(name), wanted }] : [],
  );
  if (wanted.length === 0) return [];
  return unlessLocked(takeTurns(db, { wanted, obeysBreakers, obeysHolds }), []);
}

type Tokens = { route: string; ratePerSecond: number; wanted: number };

const take = statement<Tokens, { readonly granted: number }>('take-tokens');

/** Takes from a named bucket: nothing while another session has locked it. A negative number gives back. */
export async function takeTokens(db: Database, tokens: Tokens): Promise<number> {
  const [taken] = await unlessLocked(take(db, tokens), []);
  return taken?.granted ?? 0;
}
