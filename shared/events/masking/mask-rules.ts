import { findRoute, type Route } from '../../delivery/routes.ts';
import type { Origin } from '../../message/event.ts';

/** The masked paths: of each route in its events, and in all events by the paths of MASKS. */
export type MaskRules = { readonly routes: readonly Route[]; readonly masks?: readonly string[] | undefined };

/** The paths that are masked anywhere: what operators write may be about the events of any route. */
export function listMasks({ routes, masks = [] }: MaskRules): readonly string[] {
  return [...new Set([...masks, ...routes.flatMap(({ mask }) => mask)])];
}

/** The paths that are masked in an event. One without a route may have lost its own: all paths are. */
export function findMask(rules: MaskRules, event: Origin): readonly string[] {
  const route = findRoute(rules.routes, event);
  return listMasks(route ? { ...rules, routes: [route] } : rules);
}
