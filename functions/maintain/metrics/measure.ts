import type { Database } from '../../../shared/database.ts';
import type { GroupState } from '../../../shared/error-groups.ts';
import { findRoute, type Origin, type Route } from '../../../shared/routes.ts';
import { statement } from '../../../shared/sql.ts';

/** One event type: how many events stand where, what ever happened to them, and the age of the oldest open one. */
export type TypeFigures = {
  readonly event_type: string;
  readonly pending: number;
  readonly processing: number;
  readonly succeeded: number;
  readonly failed_permanently: number;
  readonly discarded: number;
  readonly captures: number;
  readonly returns: number;
  readonly retry_failures: number;
  readonly deliveries: number;
  readonly permanent_failures: number;
  readonly discards: number;
  readonly age_seconds: number;
};

type Hours = {
  readonly captured_1h: number;
  readonly succeeded_1h: number;
  readonly captured_24h: number;
  readonly returned_24h: number;
  readonly delivered_24h: number;
  readonly failed_permanently_24h: number;
  readonly discarded_24h: number;
};

type Runs = {
  readonly since_last_tick: number | null;
  readonly last_tick_duration: number | null;
  readonly runs: number;
  readonly longest: number;
  readonly stale: number;
};

type Breaker = { readonly target: string; readonly state: 'CLOSED' | 'HALF_OPEN' | 'OPEN' };
type Groups = { readonly state: GroupState; readonly groups: number; readonly new: number };

type Server = {
  readonly connections: number;
  readonly max_connections: number;
  readonly oldest_transaction_seconds: number | null;
};

/** How the office is, at one moment. Times are seconds; what cannot be known is null. */
export type Measurement = {
  /** In the order in which they were first seen. */
  readonly types: readonly TypeFigures[];
  readonly hours: Hours;
  readonly leases: { readonly expired: number; readonly stuck: number };
  readonly runs: Runs;
  readonly breakers: readonly Breaker[];
  readonly groups: readonly Groups[];
  readonly server: Server;
  /** Open events without a route, counted up to `mostUnrouted`. */
  readonly unrouted: number;
  /** For how long the longest waiting event that has a route has been due. */
  readonly retryLag: number;
};

type Nothing = Record<string, never>;

const measureDepths = statement<Nothing, TypeFigures>('measure-depths');
const measureHours = statement<Nothing, Hours>('measure-hours');
const measureLeases = statement<Nothing, Measurement['leases']>('measure-leases');
const measureRuns = statement<Nothing, Runs>('measure-runs');
const measureBreakers = statement<{ limit: number }, Breaker>('measure-breakers');
const measureGroups = statement<Nothing, Groups>('measure-groups');
const measureDatabase = statement<Nothing, Server>('measure-database');
const measureLanes = statement<Nothing, Origin & { readonly lane: string; readonly lag_seconds: number }>(
  'measure-lanes',
);
const measureLaneSizes = statement<{ lanes: readonly string[]; most: number }, { readonly events: number }>(
  'measure-lane-sizes',
);

const mostTargets = 100;
const mostUnrouted = 100_000;

/** Measures everything, in a few short statements that none of them read the events themselves. */
export async function measure(db: Database, routes: readonly Route[]): Promise<Measurement> {
  return {
    types: await measureDepths(db, {}),
    hours: only(await measureHours(db, {})),
    leases: only(await measureLeases(db, {})),
    runs: only(await measureRuns(db, {})),
    breakers: await measureBreakers(db, { limit: mostTargets }),
    groups: await measureGroups(db, {}),
    server: only(await measureDatabase(db, {})),
    ...(await measureWaiting(db, routes)),
  };
}

async function measureWaiting(
  db: Database,
  routes: readonly Route[],
): Promise<Pick<Measurement, 'unrouted' | 'retryLag'>> {
  const lanes = await measureLanes(db, {});
  const [routed = [], waiting = []] = [true, false].map((hasRoute) =>
    lanes.filter((lane) => (findRoute(routes, lane) !== undefined) === hasRoute),
  );
  const retryLag = Math.max(0, ...routed.map(({ lag_seconds }) => lag_seconds));
  if (waiting.length === 0) return { retryLag, unrouted: 0 };
  const sizes = await measureLaneSizes(db, { lanes: waiting.map(({ lane }) => lane), most: mostUnrouted });
  return { retryLag, unrouted: only(sizes).events };
}

function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('A sum has one row.');
  return row;
}
