import { statement } from '../database/statement.ts';
import { type Cause, failureAt } from '../delivery/cause.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { findRoute } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Origin } from '../message/event.ts';
import { beforeAll, walkLanes } from './lanes.ts';
import { rulesOf } from './refusals.ts';

/** In the order of due events. The time is text: a Date loses the microseconds. */
type Place = { readonly retryAfter: string; readonly id: string };

export type DueGroup = NonNullable<ReturnType<typeof groupOf>>;

type Pair = Origin & { readonly lane: string; readonly priority: number; readonly cause: Cause | null };

type Wanted = Pick<Pair, 'lane' | 'priority'> & Place & Pick<DueGroup, 'isOrdered' | 'rules'>;

type Read = Place & { readonly place: number; readonly whyNot: string | null };

export const pickDue = statement<{ groups: readonly Wanted[]; max: number; dueAt: string }, Read>('pick-due');

/** Lanes in one step of the walk: this takes some ten milliseconds. */
const maxLanes = 1000;

/** Returns the group of a lane and priority, or undefined if no route matches it. */
export function groupOf({ routes }: Pick<DeliveryDeps, 'routes'>, pair: Pair) {
  const route = findRoute(routes, pair);
  if (!route) return undefined;
  const { lane, priority, cause } = pair;
  const target = nameTarget(route.target);
  return {
    lane,
    priority,
    route,
    target,
    cause: failureAt(target, cause),
    kind: lane,
    isOrdered: route.ordered,
    rules: rulesOf(route.policy),
    ids: [] as string[],
    /** Where the last read ended. */
    after: { retryAfter: '-infinity', id: '0' } as Place,
    isRead: false,
  };
}

/** Walks once over all lanes with due events. Each step costs the same for one lane and for a million. */
export function openWalk(deps: Pick<DeliveryDeps, 'db' | 'routes'>, unrouted: Set<string>) {
  let last = beforeAll;
  let isDone = false;
  return {
    isDone: () => isDone,
    async step(dueAt: string): Promise<DueGroup[]> {
      const { lane, priority } = last;
      const walked = await walkLanes(deps.db, { lane, priority, max: maxLanes, dueAt });
      last = walked.at(-1) ?? last;
      isDone = (walked.at(-1)?.nth ?? 0) < maxLanes;
      return walked.flatMap((pair) => {
        if (!pair.isDue) return [];
        const group = groupOf(deps, pair);
        if (!group) unrouted.add(pair.lane);
        return group ?? [];
      });
    },
  };
}

/** Returns events that cannot go, with their route. */
export async function readDue(
  { db }: Pick<DeliveryDeps, 'db'>,
  groups: readonly DueGroup[],
  { dueAt, max }: { readonly dueAt: string; readonly max: number },
) {
  const wanted = groups.map(({ lane, priority, isOrdered, rules, after }) => {
    return { lane, priority, isOrdered, rules, ...after };
  });
  const read = Map.groupBy(await pickDue(db, { groups: wanted, max, dueAt }), ({ place }) => place);
  return groups.flatMap((group, place) => {
    const events = read.get(place) ?? [];
    group.isRead = events.length < max;
    group.after = events.at(-1) ?? group.after;
    for (const { id, whyNot } of events) if (whyNot === null) group.ids.push(id);
    return events.flatMap(({ id, whyNot }) => (whyNot === null ? [] : [{ id, whyNot, route: group.route }]));
  });
}
