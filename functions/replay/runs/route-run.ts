import type { DeliveryDeps } from '../../../shared/deliver-batch.ts';
import { findRoute, nameTarget, type Route } from '../../../shared/routes.ts';
import type { Run } from './run.ts';

/** A lane as claim-run-events.sql reads it. `route` is the place in the list of routes. */
export type RoutedLane = {
  readonly lane: string;
  readonly route: number;
  readonly is_ordered: boolean;
  readonly target: string;
};

/** Where a run's events go by the configuration of the moment. */
export type Way = {
  /** The routes of its lanes, each once, by whose rates it keeps. */
  readonly routes: readonly Route[];
  /** What a delivery finds its route in. */
  readonly deliverBy: readonly Route[];
  readonly lanes: readonly RoutedLane[];
  /** The run was sent to a target that no route has any more. */
  readonly isMissing: boolean;
};

/** Finds the route of every lane of a run. A target that was asked for takes them all; it is always one of a route. */
export function routeRun(
  { routes }: Pick<DeliveryDeps, 'routes'>,
  run: Pick<Run, 'origins' | 'request'>,
): Way {
  const { target } = run.request;
  const chosen = target === undefined ? undefined : findTarget(routes, target);
  if (target !== undefined && !chosen) return { routes: [], deliverBy: [], lanes: [], isMissing: true };
  const found = run.origins.flatMap((lane) => {
    const route = chosen ?? findRoute(routes, lane);
    return route ? [{ lane: lane.lane, route }] : [];
  });
  const used = [...new Set(found.map(({ route }) => route))];
  const lanes = found.map(({ lane, route }) => ({
    lane,
    route: used.indexOf(route),
    is_ordered: route.ordered,
    target: nameTarget(route.target),
  }));
  return { routes: used, deliverBy: chosen ? [{ ...chosen, match: {} }] : routes, lanes, isMissing: false };
}

/** The first route to a target, by the name that attempts have for it: its URL or its topic. */
export function findTarget(routes: readonly Route[], name: string): Route | undefined {
  return routes.find(({ target }) => nameTarget(target) === name);
}
