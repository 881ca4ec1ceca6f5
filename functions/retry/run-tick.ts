import { randomUUID } from 'node:crypto';
import type { RetryConfig } from '../../shared/config.ts';
import type { Database } from '../../shared/database.ts';
import { deliverBatch, type Lease } from '../../shared/deliver-batch.ts';
import { claimEvents, countOpenEvents, listLanes } from '../../shared/events.ts';
import { findRoute, type Route } from '../../shared/routes.ts';
import { closeRun, openRun } from '../../shared/runs.ts';
import { addToTally, emptyTally, type Tally } from '../../shared/tally.ts';

export type TickDeps = {
  readonly db: Database;
  readonly routes: readonly Route[];
  readonly retry: RetryConfig;
};

export type Tick = {
  readonly runId: string;
  readonly tally: Tally;
  /** Open events that no route matches: they wait, at no cost. */
  readonly unrouted: number;
  readonly stopped: 'nothing due' | 'time budget spent';
};

/**
 * Claims, delivers and settles batch after batch until nothing is left of what was due when the tick began, or its
 * time is spent. What fails during the tick waits for a later one. Safe to run many times at once.
 */
export async function runTick({ db, routes, retry }: TickDeps): Promise<Tick> {
  const endsAt = Date.now() + retry.tickBudgetSeconds * 1000;
  const [run] = await openRun(db, { trigger: 'schedule' });
  if (!run) throw new Error('A run was not opened.');
  const lanes = await routeLanes(db, routes);
  const tally = emptyTally();
  let stopped: Tick['stopped'] = 'time budget spent';
  while (Date.now() < endsAt) {
    const lease = openLease(retry);
    const events = await claimEvents(db, {
      lanes: lanes.routed,
      limit: retry.batchSize,
      dueAt: run.started_at,
      leaseToken: lease.token,
      leaseSeconds: retry.leaseSeconds,
    });
    if (events.length === 0) {
      stopped = 'nothing due';
      break;
    }
    addToTally(tally, await deliverBatch({ db, routes, retry, runId: run.id, lease }, events));
  }
  await closeRun(db, { id: run.id, stopped, tally: JSON.stringify(tally) });
  return { runId: run.id, tally, unrouted: lanes.unrouted, stopped };
}

/** Taken before the claim, so that it ends here no later than in the database. */
function openLease(retry: RetryConfig): Lease {
  return { token: randomUUID(), endsAt: Date.now() + retry.leaseSeconds * 1000 };
}

async function routeLanes(db: Database, routes: readonly Route[]) {
  const lanes = await listLanes(db, {});
  const isRouted = Map.groupBy(lanes, (lane) => findRoute(routes, lane) !== undefined);
  const routed = (isRouted.get(true) ?? []).map(({ lane }) => lane);
  const waiting = (isRouted.get(false) ?? []).map(({ lane }) => lane);
  const [count] = waiting.length > 0 ? await countOpenEvents(db, { lanes: waiting }) : [];
  return { routed, unrouted: count?.events ?? 0 };
}
