import type { Database } from '../database/database.ts';
import { type Breakers, findPause, type Hold, readBreakers } from '../delivery/breakers.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { listCauses, type OpenCause } from './causes.ts';
import { type Lane, listLanes, maxLanes } from './lanes.ts';

export type RoutedLane = Lane & { readonly route: Route | undefined };

export type Snapshot = {
  readonly at: Date;
  readonly breakers: Breakers;
  /** Of the schedule. */
  readonly pause: Hold | undefined;
  readonly causes: readonly OpenCause[];
  readonly lanes: readonly RoutedLane[];
  readonly isWhole: boolean;
};

type Deps = { readonly db: Database; readonly routes: readonly Route[] };

/** Each part once for all that a request shows. */
export async function readSnapshot({ db, routes }: Deps): Promise<Snapshot> {
  const at = new Date();
  const [breakers, pause, causes, listed] = await Promise.all([
    readBreakers(db),
    findPause(db),
    listCauses(db, {}),
    listLanes(db),
  ]);
  const lanes = listed.slice(0, maxLanes).map((lane) => ({ ...lane, route: findRoute(routes, lane) }));
  return { at, breakers, pause, causes, lanes, isWhole: listed.length === lanes.length };
}
