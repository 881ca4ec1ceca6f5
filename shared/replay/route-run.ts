import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Origin } from '../message/event.ts';
import type { Run } from './run.ts';

/**
 * Finds the route of an event in a run: that of the run, if it names a target. Undefined if none is
 * configured here.
 */
export function routeIn(
  { routes }: Pick<DeliveryDeps, 'routes'>,
  { request: { target } }: Pick<Run, 'request'>,
  origin: Origin,
): Route | undefined {
  return target === undefined ? findRoute(routes, origin) : findRouteTo(routes, target);
}

/** Returns the first route to a target, by the name that attempts record. */
export function findRouteTo(routes: readonly Route[], name: string): Route | undefined {
  return routes.find(({ target }) => nameTarget(target) === name);
}
