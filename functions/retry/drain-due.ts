import { type DeliveryDeps, deliverBatch, type Lease, openLease } from '../../shared/deliver-batch.ts';
import { claimEvents, type LeasedEvent } from '../../shared/events.ts';
import type { Lane } from '../../shared/lanes.ts';
import { findShortage, type Quotas, returnQuotas, takeQuotas } from '../../shared/rates.ts';
import { findRoute } from '../../shared/routes.ts';
import { settleBatch } from '../../shared/settle-batch.ts';
import { addLost, addSettled, type Tallies } from '../../shared/tally.ts';

/** Why a tick ended. */
export type Stop = 'nothing due' | 'time budget spent' | 'event limit reached';

/** A run to work on: what was due at `dueAt`, in `lanes`, until `endsAt` (ms since the epoch). */
export type Work = {
  readonly id: string;
  readonly dueAt: string;
  readonly lanes: readonly Lane[];
  readonly endsAt: number;
  readonly tallies: Tallies;
};

/**
 * Claims, delivers and settles batch after batch. While one batch is being settled the next is claimed and delivered
 * already, but for one that showed a target to be down: its settlement keeps the next claim away from it.
 */
export async function drainDue(deps: DeliveryDeps, work: Work): Promise<Stop> {
  const settling = inBackground();
  let stop: Stop | undefined;
  while (stop === undefined) stop = await drainBatch(deps, work, settling);
  await settling.finish();
  return stop;
}

/** One batch. Returns why it was the last one, if it was. */
async function drainBatch(deps: DeliveryDeps, work: Work, settling: Background): Promise<Stop | undefined> {
  const { db, routes, retry } = deps;
  if (Date.now() >= work.endsAt) return 'time budget spent';
  const limit = Math.min(retry.batchSize, retry.maxEventsPerTick - work.tallies.all.claimed);
  if (limit <= 0) return 'event limit reached';
  const quotas = await takeQuotas(db, routes, limit);
  const lease = openLease(retry.leaseSeconds);
  const claimed = await claim(deps, work, { lease, limit, quotas });
  addLost(work.tallies, claimed);
  if (claimed.length === 0) return waitForMore(deps, work, settling, quotas);

  const batch = { db, routes, retry, runId: work.id, lease, sparesTargets: true };
  const events = claimed.filter(({ status }) => status === 'PROCESSING');
  const delivered = await deliverBatch(batch, events);
  await settling.finish();
  settling.start(settleBatch(batch, delivered).then((settled) => addSettled(work.tallies, settled)));
  const isTargetDown = delivered.reports.some((report) => report.failed_in_row >= report.consecutive_limit);
  if (isTargetDown || retry.maxEventsPerTick < Number.POSITIVE_INFINITY) await settling.finish();
  // Where nothing could be delivered it could not be a moment later either: claiming it again would only spin.
  const isStuck = events.length > 0 && delivered.reports.length === 0;
  return isStuck ? 'nothing due' : undefined;
}

/** Nothing was claimed; but what is being settled, or the bucket of a rate, may have more in a moment. */
async function waitForMore(
  { routes }: DeliveryDeps,
  work: Work,
  settling: Background,
  quotas: Quotas,
): Promise<Stop | undefined> {
  // It may set others free: those behind it in an ordered key, or all of a target after its probe.
  if (await settling.finish()) return undefined;
  const shortage = findShortage(routes, quotas);
  if (shortage === undefined) return 'nothing due';
  await new Promise((resolve) =>
    setTimeout(resolve, Math.max(1, Math.min(shortage, work.endsAt - Date.now()))),
  );
  return undefined;
}

type Background = {
  start(task: Promise<void>): void;
  /** Waits for the task, throws as it does, and tells whether there was one. */
  finish(): Promise<boolean>;
};

/** One task at a time that goes on while its starter does something else. */
function inBackground(): Background {
  let running: Promise<void> | undefined;
  return {
    start(task) {
      running = task;
      // It is awaited later; until then its failure must not count as unhandled, which would end the process.
      task.catch(() => {});
    },
    async finish() {
      const task = running;
      running = undefined;
      await task;
      return task !== undefined;
    },
  };
}

type Claim = { readonly lease: Lease; readonly limit: number; readonly quotas: Quotas };

async function claim(
  { db, routes, retry }: DeliveryDeps,
  work: Work,
  { lease, limit, quotas }: Claim,
): Promise<LeasedEvent[]> {
  const lanes = work.lanes.map((lane) => ({ ...lane, quota: quotas.get(lane.route) ?? limit }));
  const events = await claimEvents(db, {
    runId: work.id,
    lanes: JSON.stringify(lanes),
    limit,
    dueAt: work.dueAt,
    leaseToken: lease.token,
    leaseSeconds: retry.leaseSeconds,
  });
  if (quotas.size > 0) await returnQuotas(db, routes, quotas, countByRoute(routes, events));
  return events;
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
