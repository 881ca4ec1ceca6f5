import type { Group } from './picker.ts';
import type { Route } from './routes.ts';

/** How many events may be dealt out: in all, and by route and target where these limit. */
export type Limits = {
  readonly all: number;
  readonly routes: ReadonlyMap<Route, number>;
  readonly targets: ReadonlyMap<string, number>;
};

export type Dealt = { readonly id: string; readonly group: Group };

/**
 * Of so many events, one is taken from the lower priorities: a constant inflow of urgent events starves no
 * other.
 */
const lowerShare = 11;

/**
 * Deals out the next events of groups. The lowest priority goes first, across all groups, but for every
 * eleventh event; groups of one priority take turns, beginning with any of them. Changes no group.
 */
export function deal(groups: readonly Group[], limits: Limits): readonly Dealt[] {
  const levels = [...Map.groupBy(groups, ({ priority }) => priority)].sort(([a], [b]) => a - b);
  const [first, ...lower] = levels.map(([, ofLevel]) => ofLevel);
  if (!first) return [];
  const hand = openHand(limits);
  const spared = lower.length === 0 ? 0 : Math.floor(limits.all / lowerShare + Math.random());
  hand.deal(first, limits.all - spared);
  if (spared > 0) hand.deal(lower.flat(), limits.all);
  for (const ofLevel of [first, ...lower]) hand.deal(ofLevel, limits.all);
  return hand.dealt;
}

function openHand({ routes, targets }: Limits) {
  const dealt: Dealt[] = [];
  const taken = new Map<Group, number>();
  const left = { routes: new Map(routes), targets: new Map(targets) };
  const dealOne = (group: Group): boolean => {
    const nth = taken.get(group) ?? 0;
    const id = group.ids[nth];
    const ofRoute = left.routes.get(group.route);
    const ofTarget = left.targets.get(group.target);
    if (id === undefined || ofRoute === 0 || ofTarget === 0) return false;
    dealt.push({ id, group });
    taken.set(group, nth + 1);
    if (ofRoute !== undefined) left.routes.set(group.route, ofRoute - 1);
    if (ofTarget !== undefined) left.targets.set(group.target, ofTarget - 1);
    return true;
  };
  return {
    dealt,
    /** Deals to each group in turn, until `max` events are dealt in all. */
    deal(groups: readonly Group[], max: number): void {
      const start = Math.floor(Math.random() * groups.length);
      let inTurn = [...groups.slice(start), ...groups.slice(0, start)];
      while (inTurn.length > 0 && dealt.length < max)
        inTurn = inTurn.filter((group) => dealt.length < max && dealOne(group));
    },
  };
}

/** Removes dealt events from their groups. */
export function remove(dealt: readonly Dealt[]): void {
  for (const [group, ofGroup] of Map.groupBy(dealt, (each) => each.group))
    group.ids.splice(0, ofGroup.length);
}

/** Counts dealt events by a key of their group. */
export function countBy<Key>(dealt: readonly Dealt[], keyOf: (group: Group) => Key): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const { group } of dealt) counts.set(keyOf(group), (counts.get(keyOf(group)) ?? 0) + 1);
  return counts;
}
