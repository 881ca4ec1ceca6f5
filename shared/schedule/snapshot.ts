import { type Breakers, findPause, type Pausable, readBreakers, turnOf } from '../delivery/breakers.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { listCauses, type OpenCause } from './causes.ts';
import { type Lane, listLanes, maxLanes } from './lanes.ts';

export type RoutedLane = Lane & {
  readonly route: Route | undefined;
  /** It has no route, or its target or its cause takes no events now, or only samples. */
  readonly isStopped: boolean;
};

export type Snapshot = {
  readonly at: Date;
  readonly breakers: Breakers;
  /** The hold of the schedule. */
  readonly pause: Awaited<ReturnType<typeof findPause>>;
  readonly causes: readonly OpenCause[];
  readonly lanes: readonly RoutedLane[];
  readonly isWhole: boolean;
};

type Deps = Pausable & { readonly routes: readonly Route[] };

/** Each part once for all that a request shows. */
export async function readSnapshot(deps: Deps): Promise<Snapshot> {
  const { db, routes } = deps;
  const at = new Date();
  const [breakers, pause, causes, listed] = await Promise.all([
    readBreakers(db),
    findPause(deps),
    listCauses(db, {}),
    listLanes(db),
  ]);
  const failing = new Set(causes.map(({ cause }) => cause));
  const lanes = listed.slice(0, maxLanes).map((lane) => {
    const route = findRoute(routes, lane);
    const isOpen = route && turnOf(breakers.get(nameTarget(route.target))).state === 'open';
    return { ...lane, route, isStopped: !isOpen || failing.has(lane.cause ?? '') };
  });
  return { at, breakers, pause, causes, lanes, isWhole: listed.length === lanes.length };
}
