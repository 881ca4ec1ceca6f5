import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { breakerTerms } from './breaker-terms.ts';
import { type Cause, ofRate, ofTarget } from './cause.ts';
import { breakersOf, countLimited, type Dealt, nameBreaker, readBreaker } from './deal.ts';
import type { Closed, EventGroup } from './picker.ts';
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

/** The share of one worker in the run, the rates and the breakers. */
type Granted = Awaited<ReturnType<typeof takeLimits>>;

/** Takes the wanted number of the limits that workers share. The unused rest must be given back. */
export async function takeLimits(work: Work, wanted: readonly Dealt[]) {
  const all = (await work.picker.take?.(work, wanted.length)) ?? wanted.length;
  const turns = await turnsOf(work, countLimited(wanted));
  return {
    all,
    parts: new Map(turns.map((turn) => [nameBreaker(turn), turn.granted])),
    turns,
    /** In ms until those that gave nothing give more; Infinity if each gave some. */
    waitMs: Math.min(...judgeWaits(work, new Set(wanted.map(({ group }) => group)), turns)),
  };
}

/** In ms: a pace is hardly less than one a second. */
const maxSoonMs = 2000;

/** Closes the groups for which their picker does not wait. Returns how long the others wait, in ms. */
function judgeWaits(work: Work, groups: Iterable<EventGroup>, turns: readonly Turn[]): number[] {
  const waits: number[] = [];
  const empty = new Map(
    turns.filter(({ granted }) => granted === 0).map((turn) => [nameBreaker(turn), turn]),
  );
  for (const group of groups)
    for (const turn of breakersOf(group).flatMap((each) => empty.get(each) ?? [])) {
      const ms = (turn.waitSeconds ?? Number.POSITIVE_INFINITY) * 1000;
      const by = nameClosed(turn);
      // Also beyond the end of this worker, which hands over to another one.
      const isSoon = turn.cause === ofRate || (!turn.isOpen && ms <= maxSoonMs);
      if (isSoon || work.picker.waitsFor(work, group, { ms, of: turn.isOpen ? by : 'limit' })) waits.push(ms);
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
  if (granted.all > used.length) await work.picker.take?.(work, used.length - granted.all);
  const counts = countLimited(used);
  const rest = granted.turns
    .filter((turn) => !turn.isOpen || !counts.has(nameBreaker(turn)))
    .map((turn) => [nameBreaker(turn), (counts.get(nameBreaker(turn)) ?? 0) - turn.granted] as const);
  await turnsOf(work, new Map(rest.filter(([, events]) => events < 0)));
}

async function turnsOf({ deps: { db }, picker }: Work, events: ReadonlyMap<string, number>) {
  const { obeysBreakers, obeysHolds } = picker;
  const wanted = [...events].map(([name, wanted]) => ({ ...readBreaker(name), wanted }));
  if (wanted.length === 0) return [];
  return unlessLocked(takeTurns(db, { wanted, obeysBreakers, obeysHolds }), []);
}
