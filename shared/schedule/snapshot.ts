import { findPause, type Pausable, readBreakers, turnOf } from '../delivery/breakers.ts';
import type { Route } from '../delivery/routes.ts';
import { listCauses } from './causes.ts';
import { type Lane, listLanes, maxLanes, routeLane } from './lanes.ts';

export type RoutedLane = ReturnType<typeof routeLane<Lane>> & {
  /** It has no route, or its target or its cause takes no events now, or only samples. */
  readonly isStopped?: boolean;
};

export type Snapshot = Awaited<ReturnType<typeof readSnapshot>>;

type Deps = Pausable & { readonly routes: readonly Route[] };

/** Each part once for all that a request shows. */
export async function readSnapshot(deps: Deps) {
  const { db, routes } = deps;
  const at = new Date();
  const [breakers, pause, causes, listed] = await Promise.all([
    readBreakers(db),
    findPause(deps),
    listCauses(db, {}),
    listLanes(db),
  ]);
  const failing = new Set(causes.map(({ cause }) => cause));
  const lanes = listed.slice(0, maxLanes).map((each): RoutedLane => {
    const lane = routeLane(routes, each);
    const isOpen = lane.route && turnOf(breakers.get(lane.target)).state === 'open';
    return { ...lane, isStopped: !isOpen || failing.has(lane.cause ?? '') };
  });
  return { at, breakers, pause, causes, lanes, isWhole: listed.length === lanes.length };
}
