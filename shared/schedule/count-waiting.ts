import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { countLanes, maxCounted } from './lanes.ts';
import type { RoutedLane, Snapshot } from './snapshot.ts';

/** Open events; `isExact` is false for a number that is larger than `events`. */
export type Waiting = { readonly events: number; readonly isExact: boolean };

const listOpenTypes = statement<
  { types: readonly string[] },
  { readonly eventType: string; readonly open: number }
>('list-open-types', import.meta.url);

/**
 * Counts the open events by target; `undefined`: without a route. Lanes are counted if they have no route, if
 * targets share their type, or if they fail by themselves.
 */
export async function countWaiting(
  db: Database,
  { lanes, causes, isWhole }: Snapshot,
): Promise<ReadonlyMap<string | undefined, Waiting & { readonly lanes: readonly RoutedLane[] }>> {
  const targetOf = ({ route }: RoutedLane) => route && nameTarget(route.target);
  const byType = Map.groupBy(lanes, ({ eventType }) => eventType);
  // The counts know types, not lanes: they have the events of a type that goes to one target.
  const whole = [...byType].filter(([, own]) => new Set(own.map(targetOf)).size === 1).map(([type]) => type);
  const types = await listOpenTypes(db, { types: whole });
  const open = new Map(types.map(({ eventType, open }) => [eventType, open]));
  const failing = new Set(causes.map(({ cause }) => cause));
  const isCounted = ({ route, eventType, cause }: RoutedLane) =>
    !route || !open.has(eventType) || (cause !== null && failing.has(cause));
  const counted = await countLanes(db, lanes.filter(isCounted));
  return new Map(
    [...Map.groupBy([...lanes.filter((lane) => !isCounted(lane)), ...counted], targetOf)].map(
      ([target, own]) => {
        const shared = own.flatMap(({ eventType, events }) => (open.has(eventType) ? [] : (events ?? 0)));
        const types = new Set(own.map(({ eventType }) => eventType));
        const events =
          [...types].reduce((sum, type) => sum + (open.get(type) ?? 0), 0) +
          shared.reduce((sum, events) => sum + Math.min(events, maxCounted), 0);
        const isExact = isWhole && shared.every((events) => events <= maxCounted);
        return [target, { events, isExact, lanes: own }];
      },
    ),
  );
}
