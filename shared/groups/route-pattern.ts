import type { Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { toLikePattern } from '../events/filter/filter-condition.ts';

/**
 * A route in SQL: its target, and a pattern of LIKE for each field of an event, of which a missing one is
 * empty.
 */
export type RoutePattern = Record<
  'target' | 'eventType' | 'sourceKind' | 'sourceTopic' | 'consumerGroup',
  string
>;

/** The patterns of routes, of which an event takes the first that fits it, as `findRoute` finds it. */
export function toPatterns(routes: readonly Route[]): RoutePattern[] {
  return routes.map(({ match, target }) => ({
    target: nameTarget(target),
    eventType: toLikePattern(match.eventType ?? '*'),
    sourceKind: toLikePattern(match.sourceKind ?? '*'),
    sourceTopic: toLikePattern(match.sourceTopic ?? '*'),
    consumerGroup: toLikePattern(match.consumerGroup ?? '*'),
  }));
}
