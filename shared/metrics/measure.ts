import type { Depths } from '../counts/depths.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Route } from '../delivery/routes.ts';
import type { GroupState } from '../groups/error-groups.ts';
import { listBacklogs } from '../schedule/backlogs.ts';

/** What happened to the events of a type so far. */
type Count =
  | 'captures'
  | 'recurrences'
  | 'retryFailures'
  | 'deliveries'
  | 'permanentFailures'
  | 'discards'
  | 'conflicts';

/** A number about an event type; `ageSeconds` is the age of its oldest open event that does not fail by itself. */
export type TypeMetric = keyof Depths | Count | 'ageSeconds';
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
  /** Events that wait in paused replays. */
  readonly pausedEvents: number;
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
  /** In the order in which the types were first counted. */
  readonly types: readonly TypeMetrics[];
  readonly hours: Hours;
  readonly leases: { readonly expired: number; readonly stuck: number };
  readonly runs: Runs;
  readonly breakers: readonly Breaker[];
  readonly groups: readonly Groups[];
  /**
   * The type with the highest ratio of its captures within the last hour to its usual rate; undefined without
   * captures.
   */
  readonly inflow?: Inflow | undefined;
  readonly server: Server;
  /** Open events without a route; of each kind up to 10,000 are counted. */
  readonly unrouted: number;
  /** What fails by itself: causes, the events that wait for them, and the time since the first of them failed. */
  readonly failing: { readonly causes: number; readonly events: number; readonly seconds: number };
  /** Open events of targets that operators hold, counted alike. */
  readonly held: number;
  /** Time for which the event that has waited longest of those that are due has been due. */
  readonly retryLag: number;
};

type Nothing = Record<string, never>;

const measureTypes = statement<Nothing, TypeMetrics>('measure-types', import.meta.url);
const measureHours = statement<Nothing, Hours>('measure-hours', import.meta.url);
const measureLeases = statement<Nothing, Measurement['leases']>('measure-leases', import.meta.url);
const measureRuns = statement<Nothing, Runs>('measure-runs', import.meta.url);
const measureBreakers = statement<{ limit: number }, Breaker>('measure-breakers', import.meta.url);
const measureGroups = statement<Nothing, Groups>('measure-groups', import.meta.url);
const measureInflow = statement<Nothing, Inflow>('measure-inflow', import.meta.url);
const measureDatabase = statement<Nothing, Server>('measure-database', import.meta.url);
const maxTargets = 100;

/** Measures everything, by short statements that read counts and index entries instead of events. */
export async function measure(db: Database, routes: readonly Route[]): Promise<Measurement> {
  return {
    types: await measureTypes(db, {}),
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
): Promise<Pick<Measurement, 'unrouted' | 'held' | 'retryLag' | 'failing'>> {
  const now = Date.now();
  const backlogs = await listBacklogs(db, routes);
  const lags = backlogs.map(({ dueSince }) => (dueSince ? (now - dueSince.getTime()) / 1000 : 0));
  const unrouted = backlogs.find(({ target }) => target === null)?.waiting ?? 0;
  const held = backlogs
    .filter(({ state }) => state === 'held')
    .reduce((sum, { waiting }) => sum + waiting, 0);
  const causes = backlogs.flatMap((backlog) => backlog.causes);
  const failing = {
    causes: causes.length,
    events: causes.reduce((sum, { waiting }) => sum + waiting, 0),
    seconds: Math.max(0, ...causes.map(({ since }) => (now - since.getTime()) / 1000)),
  };
  return { unrouted, held, retryLag: Math.max(0, ...lags), failing };
}

function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('A sum has one row.');
  return row;
}
