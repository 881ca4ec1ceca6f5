import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import type { Origin } from '../events/event.ts';
import type { GroupState } from '../groups/error-groups.ts';

/** Events of a type now, by status. */
type Depth = 'pending' | 'processing' | 'succeeded' | 'failedPermanently' | 'discarded';

/** Changes of the events of a type in its lifetime. */
type Count =
  | 'captures'
  | 'recurrences'
  | 'retryFailures'
  | 'deliveries'
  | 'permanentFailures'
  | 'discards'
  | 'conflicts';

/** A number about an event type; `ageSeconds` is the age of its oldest open event. */
export type TypeMetric = Depth | Count | 'ageSeconds';
export type TypeMetrics = { readonly eventType: string } & Readonly<Record<TypeMetric, number>>;

type Hours = {
  readonly captured1h: number;
  readonly succeeded1h: number;
  readonly captured24h: number;
  readonly recurrences24h: number;
  readonly delivered24h: number;
  readonly failedPermanently24h: number;
  readonly discarded24h: number;
};

type Runs = {
  readonly sinceLastTick: number | null;
  readonly lastTickDuration: number | null;
  readonly runs: number;
  readonly longest: number;
  readonly stale: number;
};

type Breaker = { readonly target: string; readonly state: 'CLOSED' | 'HALF_OPEN' | 'OPEN' };
type Groups = {
  readonly state: GroupState;
  readonly groups: number;
  /** Of them, first seen within 24 hours; and within one hour, first seen or regressed. */
  readonly new: number;
  readonly new1h: number;
  readonly regressed1h: number;
};

type Inflow = { readonly eventType: string; readonly captured1h: number; readonly ratio: number };

type Server = {
  readonly sizeBytes: number;
  readonly connections: number;
  readonly maxConnections: number;
  readonly oldestTransactionSeconds: number | null;
};

/** The state of the deployment at one moment. Times are in seconds; unknown values are null. */
export type Measurement = {
  /** In the order in which the types were first seen. */
  readonly types: readonly TypeMetrics[];
  readonly hours: Hours;
  readonly leases: { readonly expired: number; readonly stuck: number };
  readonly runs: Runs;
  readonly breakers: readonly Breaker[];
  readonly groups: readonly Groups[];
  /** The type with the highest ratio of its captures within the last hour to its usual rate; undefined without captures. */
  readonly inflow?: Inflow | undefined;
  readonly server: Server;
  /** Open events without a route, counted up to 100,000. */
  readonly unrouted: number;
  /** Time for which the longest waiting event with a route has been due. */
  readonly retryLag: number;
};

type Nothing = Record<string, never>;

const measureDepths = statement<Nothing, TypeMetrics>('measure-depths', import.meta.url);
const measureHours = statement<Nothing, Hours>('measure-hours', import.meta.url);
const measureLeases = statement<Nothing, Measurement['leases']>('measure-leases', import.meta.url);
const measureRuns = statement<Nothing, Runs>('measure-runs', import.meta.url);
const measureBreakers = statement<{ limit: number }, Breaker>('measure-breakers', import.meta.url);
const measureGroups = statement<Nothing, Groups>('measure-groups', import.meta.url);
const measureInflow = statement<Nothing, Inflow>('measure-inflow', import.meta.url);
const measureDatabase = statement<Nothing, Server>('measure-database', import.meta.url);
const measureLanes = statement<Nothing, Origin & { readonly lane: string; readonly lagSeconds: number }>(
  'measure-lanes',
  import.meta.url,
);
const measureLaneSizes = statement<{ lanes: readonly string[]; max: number }, { readonly events: number }>(
  'measure-lane-sizes',
  import.meta.url,
);

const maxTargets = 100;
const maxUnrouted = 100_000;

/** Measures everything, by short statements that read counts and index entries instead of events. */
export async function measure(db: Database, routes: readonly Route[]): Promise<Measurement> {
  return {
    types: await measureDepths(db, {}),
    hours: only(await measureHours(db, {})),
    leases: only(await measureLeases(db, {})),
    runs: only(await measureRuns(db, {})),
    breakers: await measureBreakers(db, { limit: maxTargets }),
    groups: await measureGroups(db, {}),
    inflow: (await measureInflow(db, {}))[0],
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
  const retryLag = Math.max(0, ...routed.map(({ lagSeconds }) => lagSeconds));
  if (waiting.length === 0) return { retryLag, unrouted: 0 };
  const sizes = await measureLaneSizes(db, { lanes: waiting.map(({ lane }) => lane), max: maxUnrouted });
  return { retryLag, unrouted: only(sizes).events };
}

function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('A sum has one row.');
  return row;
}
