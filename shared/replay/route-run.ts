import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Run } from './run.ts';

/** The routes of a run's lanes in the present configuration, each once. `isMissing`: no route has the run's target any more. */
export type RoutePlan = ReturnType<typeof routeRun>;

/** Finds the route of every lane of a run. If the run names a target, its route is that of every lane. */
export function routeRun(
  { routes }: Pick<DeliveryDeps, 'routes'>,
  { origins, request: { target } }: Pick<Run, 'origins' | 'request'>,
) {
  const namedRoute = target === undefined ? undefined : findRouteTo(routes, target);
  const isMissing = target !== undefined && !namedRoute;
  const found = origins.flatMap((origin) => {
    const route = isMissing ? undefined : (namedRoute ?? findRoute(routes, origin));
    return route ? [{ lane: origin.lane, route }] : [];
  });
  const used = [...new Set(found.map(({ route }) => route))];
  // As claim-run-events.sql reads them: `route` is an index in `routes`.
  const lanes = found.map(({ lane, route }) => ({
    lane,
    route: used.indexOf(route),
    isOrdered: route.ordered,
    target: nameTarget(route.target),
  }));
  return { routes: used, lanes, isMissing };
}

/** Returns the first route to a target, by the name that attempts record. */
export function findRouteTo(routes: readonly Route[], name: string): Route | undefined {
  return routes.find(({ target }) => nameTarget(target) === name);
}
