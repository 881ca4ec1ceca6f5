import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Run } from './run.ts';

/** A lane as claim-run-events.sql reads it. `route` is the index in the routes of the plan. */
export type RoutedLane = {
  readonly lane: string;
  readonly route: number;
  readonly isOrdered: boolean;
  readonly target: string;
};

/** The routes of a run's events in the present configuration. */
export type RoutePlan = {
  /** The routes of its lanes, each once. */
  readonly routes: readonly Route[];
  readonly lanes: readonly RoutedLane[];
  /** Whether the run names a target that no route has any more. */
  readonly isMissing: boolean;
};

/** Finds the route of every lane of a run. If the run names a target, its route is that of every lane. */
export function routeRun(
  { routes }: Pick<DeliveryDeps, 'routes'>,
  run: Pick<Run, 'origins' | 'request'>,
): RoutePlan {
  const { target } = run.request;
  const namedRoute = target === undefined ? undefined : findRouteTo(routes, target);
  if (target !== undefined && !namedRoute) return { routes: [], lanes: [], isMissing: true };
  const found = run.origins.flatMap((origin) => {
    const route = namedRoute ?? findRoute(routes, origin);
    return route ? [{ lane: origin.lane, route }] : [];
  });
  const used = [...new Set(found.map(({ route }) => route))];
  const lanes = found.map(({ lane, route }) => ({
    lane,
    route: used.indexOf(route),
    isOrdered: route.ordered,
    target: nameTarget(route.target),
  }));
  return { routes: used, lanes, isMissing: false };
}

/** Returns the first route to a target, by the name that attempts record. */
export function findRouteTo(routes: readonly Route[], name: string): Route | undefined {
  return routes.find(({ target }) => nameTarget(target) === name);
}
