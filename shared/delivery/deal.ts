import { type Cause, ofRate, ofTarget } from './cause.ts';
import type { EventGroup } from './picker.ts';
import type { Route } from './routes.ts';

/** A route, or by its name the breaker of a target or of a cause there, a rate, or the samples of a cause. */
export type Limited = Route | string;

/** How many events may be dealt out: in all, and by limit. */
export type Limits = {
  readonly all: number;
  readonly parts: ReadonlyMap<Limited, number>;
  /** Groups of which samples go first. */
  readonly sampled: ReadonlySet<EventGroup>;
};

export type Dealt = { readonly id: string; readonly group: EventGroup };

/** One of eleven events is of a lower priority: a constant inflow of urgent events starves no other. */
const lowerShare = 11;

/** The breakers of a group, by name: of its target, of its cause there, and its rates. */
export function breakersOf({ target, cause, rates }: EventGroup): readonly string[] {
  const causes = cause === null ? [ofTarget] : [ofTarget, cause];
  return [
    ...causes.map((each) => nameBreaker({ target, cause: each })),
    ...rates.map(({ name }) => nameBreaker({ target: name, cause: ofRate })),
  ];
}

/** The limit of the groups of a cause of which samples go first. */
export const nameSamples = ({ cause }: Pick<EventGroup, 'cause'>): string => `samples ${cause}`;

type BreakerKey = { readonly target: string; readonly cause: Cause };

export function nameBreaker({ target, cause }: BreakerKey): string {
  return `${cause} ${target}`;
}

/** Reads what `nameBreaker` wrote: a cause has no space, a target may. */
export function readBreaker(name: string): BreakerKey {
  const space = name.indexOf(' ');
  return { cause: name.slice(0, space), target: name.slice(space + 1) };
}

/**
 * Deals out the next events of groups. The lowest priority goes first, across all groups, but for every
 * eleventh event; of one priority those that failed at their target go after all others. Groups
 * alike in both take turns, beginning with any of them.
 */
export function deal(groups: readonly EventGroup[], limits: Limits): readonly Dealt[] {
  const levels = [...Map.groupBy(groups, levelOf)].sort(([a], [b]) => a - b);
  const [first, ...lower] = levels.map(([, ofLevel]) => ofLevel);
  if (!first) return [];
  const hand = openHand(limits);
  const spared = lower.length === 0 ? 0 : Math.floor(limits.all / lowerShare + Math.random());
  hand.deal(first, limits.all - spared);
  if (spared > 0) hand.deal(lower.flat(), limits.all);
  for (const ofLevel of [first, ...lower]) hand.deal(ofLevel, limits.all);
  return hand.dealt;
}

function levelOf({ priority, cause }: EventGroup): number {
  return 2 * priority + (cause === null ? 0 : 1);
}

function openHand({ parts, sampled }: Limits) {
  const dealt: Dealt[] = [];
  const taken = new Map<EventGroup, number>();
  const left = new Map(parts);
  const dealOne = (group: EventGroup): boolean => {
    const nth = taken.get(group) ?? 0;
    const id = group.ids[nth];
    const samples = sampled.has(group) ? [nameSamples(group)] : [];
    const limits = [group.route, ...breakersOf(group), ...samples];
    if (id === undefined || limits.some((each) => left.get(each) === 0)) return false;
    dealt.push({ id, group });
    taken.set(group, nth + 1);
    for (const each of limits) left.set(each, (left.get(each) ?? Number.POSITIVE_INFINITY) - 1);
    return true;
  };
  return {
    dealt,
    /** Deals to each group in turn, until `max` events are dealt in all. */
    deal(groups: readonly EventGroup[], max: number): void {
      const start = Math.floor(Math.random() * groups.length);
      let inTurn = [...groups.slice(start), ...groups.slice(0, start)];
      while (inTurn.length > 0 && dealt.length < max)
        inTurn = inTurn.filter((group) => dealt.length < max && dealOne(group));
    },
  };
}

export function remove(dealt: readonly Dealt[]): void {
  for (const [group, ofGroup] of Map.groupBy(dealt, (each) => each.group))
    group.ids.splice(0, ofGroup.length);
}

/** Puts items into any order (Fisher and Yates). */
export function shuffle(items: unknown[]): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other], items[last]];
  }
}

/** How many events are of each breaker. */
export function countLimited(dealt: readonly Dealt[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { group } of dealt)
    for (const each of breakersOf(group)) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}
