import { randomUUID } from 'node:crypto';
import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import { routeLanes } from '../../shared/lanes.ts';
import { openTick } from '../../shared/runs.ts';
import { emptyTally, type Tallies, type Tally } from '../../shared/tally.ts';
import { aliveSeconds, type Place, workOnRun } from '../../shared/work-on-run.ts';
import { continueReplays } from '../replay/runs/continue-replays.ts';
import { drainDue, type Stop } from './drain-due.ts';
import { openKeyWalk } from './walk-keys.ts';

export type Tick = {
  /** Null where another tick was at work, and this one left it to that. */
  readonly runId: string | null;
  /** What this worker did, in all and for each target. */
  readonly tally: Tally;
  readonly targets: Tallies['targets'];
  /** What the run came to, all its workers together, where this one was the last. */
  readonly run: { readonly tally: Tally; readonly targets: Tallies['targets'] } | null;
  /** Open events that no route matches: they wait, at no cost. */
  readonly unrouted: number;
  readonly stopped: Stop | 'another tick is running';
};

/**
 * Works on what was due when the tick began until nothing of it is left, its time is spent or its limit reached. What
 * fails during the tick waits for a later one. Safe to run many times at once.
 */
export async function runTick(deps: DeliveryDeps): Promise<Tick> {
  const { db, routes, retry } = deps;
  const endsAt = Date.now() + retry.tickBudgetSeconds * 1000;
  await continueReplays(deps, endsAt);
  const token = randomUUID();
  const allowance = Number.isFinite(retry.maxEventsPerTick) ? retry.maxEventsPerTick : null;
  const { workers } = retry;
  const [run] = await openTick(db, { token, workers, allowance, aliveSeconds: aliveSeconds(deps) });
  if (run?.is_ours) return workOnTick(deps, { runId: run.id, slot: 1, token, dueAt: run.due_at, endsAt });
  const { unrouted } = await routeLanes(db, routes, retry);
  const nothing = { tally: emptyTally(), targets: {}, run: null };
  return { runId: null, ...nothing, unrouted, stopped: 'another tick is running' };
}

/** Works on a tick from one of its slots. */
export async function workOnTick(deps: DeliveryDeps, place: Place): Promise<Tick> {
  let unrouted = 0;
  const { stopped, tallies, run } = await workOnRun(deps, place, async (work) => {
    const routed = await routeLanes(deps.db, deps.routes, deps.retry);
    unrouted = routed.unrouted;
    return drainDue(deps, { ...work, lanes: routed.lanes, walk: openKeyWalk(deps.db) });
  });
  return {
    runId: place.runId,
    tally: tallies.all,
    targets: tallies.targets,
    run: run && { tally: run.all, targets: run.targets },
    unrouted,
    stopped,
  };
}
