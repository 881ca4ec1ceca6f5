import { type DeliveryDeps, type Lease, openLease } from '../../shared/deliver-batch.ts';
import { claimEvents, hasDueEvents, type LeasedEvent } from '../../shared/events.ts';
import type { Lane } from '../../shared/lanes.ts';
import { findShortage, type Quotas, returnQuotas, takeQuotas } from '../../shared/rates.ts';
import { findRoute } from '../../shared/routes.ts';
import { takeAllowance } from '../../shared/runs.ts';
import type { Work } from '../../shared/work-on-run.ts';
import type { KeyWalk } from './walk-keys.ts';

/** A run, the lanes that it is about, and how far its worker is in those that are ordered. */
export type DueWork = Work & { readonly lanes: readonly Lane[]; readonly walk: KeyWalk };

export type Claimed = {
  readonly lease: Lease;
  readonly events: readonly LeasedEvent[];
  /** Whether there may be more to claim at once. */
  readonly mayHaveMore: boolean;
  /** Milliseconds until the next delivery of a route that has events due and has used up its rate. */
  readonly waitMs: number | undefined;
};

/** Claims a batch from these lanes, as far as the rates of their routes and the limit of the run allow. */
export async function claimDue(
  deps: DeliveryDeps,
  work: DueWork,
  lanes: readonly Lane[],
): Promise<Claimed | 'event limit reached'> {
  const { db, routes, retry } = deps;
  const lease = openLease(retry.leaseSeconds);
  if (lanes.length === 0) return { lease, events: [], mayHaveMore: false, waitMs: undefined };
  const limit = await takeLimit(deps, work, retry.batchSize);
  if (limit === 0) return 'event limit reached';
  const places = new Set(lanes.map(({ route }) => route));
  const quotas = await takeQuotas(db, routes, { places, wanted: limit });
  const isSpent = ({ route }: Lane) => quotas.get(route) === 0;
  const events = await claim(deps, work, {
    lanes: lanes.filter((lane) => !isSpent(lane)),
    quotas,
    limit,
    lease,
  });
  if (events.length < limit) await takeLimit(deps, work, events.length - limit);
  if (quotas.size > 0) await returnQuotas(db, routes, quotas, countByRoute(routes, events));
  const spent = lanes.filter(isSpent);
  const isWorthWaiting = spent.length > 0 && (events.length > 0 || (await hasDue(deps, work, spent)));
  return {
    lease,
    events,
    mayHaveMore: work.walk.hasMore(events) || events.length === limit,
    waitMs: isWorthWaiting ? findShortage(routes, quotas) : undefined,
  };
}

type Ask = {
  readonly lanes: readonly Lane[];
  readonly quotas: Quotas;
  readonly limit: number;
  readonly lease: Lease;
};

/** Of an ordered lane only the firsts of its keys are asked for, of the others whatever is due. */
async function claim(
  { db, retry }: DeliveryDeps,
  work: DueWork,
  { lanes, quotas, limit, lease }: Ask,
): Promise<LeasedEvent[]> {
  const dueAt = work.dueAt();
  const ordered = lanes.filter(({ is_ordered }) => is_ordered);
  const heads = await work.walk.next(ordered, { dueAt, limit });
  const wanted = lanes
    .filter(({ lane, is_ordered }) => !is_ordered || heads.has(lane))
    .map((lane) => ({ ...lane, quota: quotas.get(lane.route) ?? limit, heads: heads.get(lane.lane) }));
  if (wanted.length === 0) return [];
  return claimEvents(db, {
    runId: work.runId,
    lanes: JSON.stringify(wanted),
    limit,
    dueAt,
    leaseToken: lease.token,
    leaseSeconds: retry.leaseSeconds,
  });
}

/** Takes from the limit of the run, or gives back what is less than 0. All workers of a run share one. */
async function takeLimit({ db, retry }: DeliveryDeps, { runId }: DueWork, wanted: number): Promise<number> {
  if (retry.maxEventsPerTick === Number.POSITIVE_INFINITY) return wanted;
  const [taken] = await takeAllowance(db, { runId, wanted });
  return taken?.granted ?? 0;
}

async function hasDue({ db }: DeliveryDeps, work: DueWork, lanes: readonly Lane[]): Promise<boolean> {
  const [found] = await hasDueEvents(db, { lanes: lanes.map(({ lane }) => lane), dueAt: work.dueAt() });
  return found?.has_due ?? false;
}

function countByRoute(routes: DeliveryDeps['routes'], events: readonly LeasedEvent[]): Map<number, number> {
  const used = new Map<number, number>();
  for (const event of events) {
    const route = findRoute(routes, event);
    const place = route ? routes.indexOf(route) : -1;
    used.set(place, (used.get(place) ?? 0) + 1);
  }
  return used;
}
