import { type DeliveryDeps, type Lease, openLease } from '../../shared/deliver-batch.ts';
import { claimEvents, hasDueEvents, type LeasedEvent } from '../../shared/events.ts';
import type { Lane } from '../../shared/lanes.ts';
import { findShortage, returnQuotas, takeQuotas } from '../../shared/rates.ts';
import { findRoute } from '../../shared/routes.ts';
import { takeAllowance } from '../../shared/runs.ts';
import type { Work } from '../../shared/work-on-run.ts';

export type Claimed = {
  readonly lease: Lease;
  readonly events: readonly LeasedEvent[];
  /** Whether as many came as were asked for, so that there may be more at once. */
  readonly isFull: boolean;
  /** Milliseconds until the next delivery of a route that has events due and has used up its rate. */
  readonly waitMs: number | undefined;
};

/** Claims a batch from these lanes, as far as the rates of their routes and the limit of the run allow. */
export async function claimDue(
  deps: DeliveryDeps,
  work: Work,
  lanes: readonly Lane[],
): Promise<Claimed | 'event limit reached'> {
  const { db, routes, retry } = deps;
  const lease = openLease(retry.leaseSeconds);
  if (lanes.length === 0) return { lease, events: [], isFull: false, waitMs: undefined };
  const limit = await takeLimit(deps, work, retry.batchSize);
  if (limit === 0) return 'event limit reached';
  const places = new Set(lanes.map(({ route }) => route));
  const quotas = await takeQuotas(db, routes, { places, wanted: limit });
  const wanted = lanes.map((lane) => ({ ...lane, quota: quotas.get(lane.route) ?? limit }));
  const events = await claimEvents(db, {
    runId: work.runId,
    lanes: JSON.stringify(wanted.filter(({ quota }) => quota > 0)),
    limit,
    dueAt: work.dueAt(),
    leaseToken: lease.token,
    leaseSeconds: retry.leaseSeconds,
  });
  if (events.length < limit) await takeLimit(deps, work, events.length - limit);
  if (quotas.size > 0) await returnQuotas(db, routes, quotas, countByRoute(routes, events));
  const spent = wanted.filter(({ quota }) => quota === 0);
  const isWorthWaiting = spent.length > 0 && (events.length > 0 || (await hasDue(deps, work, spent)));
  return {
    lease,
    events,
    isFull: events.length === limit,
    waitMs: isWorthWaiting ? findShortage(routes, quotas) : undefined,
  };
}

/** Takes from the limit of the run, or gives back what is less than 0. All workers of a run share one. */
async function takeLimit({ db, retry }: DeliveryDeps, { runId }: Work, wanted: number): Promise<number> {
  if (retry.maxEventsPerTick === Number.POSITIVE_INFINITY) return wanted;
  const [taken] = await takeAllowance(db, { runId, wanted });
  return taken?.granted ?? 0;
}

async function hasDue({ db }: DeliveryDeps, work: Work, lanes: readonly Lane[]): Promise<boolean> {
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
