import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import type { Stop } from '../delivery/picker.ts';
import { holdSlot, type Slot } from '../delivery/slots.ts';
import { work } from '../delivery/worker.ts';
import { tryRequestWorker } from '../delivery/worker-requests.ts';
import { log } from '../log.ts';
import { findRun } from './run.ts';
import { openRunEvents } from './run-events.ts';

/** The result of a replay worker. The progress is in the run itself. */
export type ReplayWork = { readonly runId: string; readonly stopped: Stop };

type Limits = { readonly endsAt: number; readonly slot?: Slot };

/**
 * Works on a replay until no event waits, it is paused or cancelled, or `endsAt` (ms since the epoch) is
 * reached. Returns why it stopped. Any number of workers may run concurrently, and each may die at any point:
 * all state is in the run's row and its events.
 */
export async function workOnReplay(
  deps: DeliveryDeps,
  runId: string,
  { endsAt, slot }: Limits,
): Promise<Stop> {
  const [run] = await findRun(deps.db, { runId });
  if (!run) return 'no such run';
  const picker = openRunEvents(deps, run);
  const held = slot && holdSlot(deps, runId, slot);
  const { stopped } = await work(deps, { runId, endsAt, picker, held });
  return stopped;
}

const listIdleRuns = statement<Record<string, never>, { readonly id: string }>('list-idle-runs');

/** Requests a worker for each replay with nothing in flight. Returns their number; 0 without a topic. */
export async function requestReplays(db: Database, topic: string | undefined): Promise<number> {
  if (topic === undefined) return 0;
  const runs = await listIdleRuns(db, {});
  await Promise.all(runs.map(({ id }) => tryRequestWorker(topic, id)));
  return runs.length;
}

/**
 * Continues replays without deliveries in flight, all of them at once: requests a worker for each, or without
 * a topic works on them itself, for up to half of the time until `endsAt` (ms since the epoch). An error is
 * logged, and its replay is left to the next tick.
 */
export async function continueReplays(deps: DeliveryDeps, endsAt: number): Promise<void> {
  const { db, retry } = deps;
  const halfTime = (Date.now() + endsAt) / 2;
  const leave = (error: unknown) =>
    log('ERROR', 'Replay failed: the next tick continues it.', { error: String(error) });
  const runs = (await listIdleRuns(db, {}).catch(leave)) ?? [];
  const isRequested = retry.continueTopic !== undefined;
  const continueRun = (id: string): Promise<unknown> =>
    isRequested ? tryRequestWorker(retry.continueTopic, id) : workOnReplay(deps, id, { endsAt: halfTime });
  await Promise.all(runs.map(({ id }) => continueRun(id).catch(leave)));
}
