import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryDeps } from '../../../shared/deliver-batch.ts';
import { statement } from '../../../shared/sql.ts';
import { decidePace } from './decide-pace.ts';
import { replayBatch, type Step } from './replay-batch.ts';
import { routeRun } from './route-run.ts';
import { findRun, type Run } from './run.ts';

/** Why a worker stopped. */
export type ReplayStop = 'ended' | 'paused' | 'time budget spent' | 'no such run';

/** Gives back what workers of replays held when they died, once the leases have ended. */
export const recoverRunEvents = statement<
  Record<string, never>,
  { readonly run_id: string; readonly event_id: string }
>('recover-run-events');

const holdRun = statement<{ runId: string; because: string }, never>('hold-run');

/**
 * Works on a replay until nothing of it waits, it is paused or cancelled, or `endsAt` (ms since the epoch) is reached.
 * Any number of workers may be at it, each may die at any point: all that decides is in the run's row and its events.
 */
export async function workOnReplay(deps: DeliveryDeps, runId: string, endsAt: number): Promise<ReplayStop> {
  const patience = openPatience(endsAt);
  await recoverRunEvents(deps.db, {});
  let step: Step = { after: 0, waitMs: 0 };
  for (;;) {
    if (Date.now() >= endsAt) return 'time budget spent';
    const [run] = await findRun(deps.db, { runId });
    if (!run) return 'no such run';
    if (run.ended_at !== null) return 'ended';
    if (run.paused_because !== null) return 'paused';
    step = await goOn(deps, run, step.after);
    await patience.wait(run, step.waitMs);
    if (patience.isLong()) await recoverRunEvents(deps.db, {});
  }
}

/** The next batch, or a pause. */
async function goOn(deps: DeliveryDeps, run: Run, after: number): Promise<Step> {
  const way = routeRun(deps, run);
  const decision = way.isMissing
    ? {
        act: 'pause' as const,
        because: `No route has the target ${run.request.target}: configure it, and resume.`,
      }
    : decidePace(run);
  if (decision.act === 'deliver') return replayBatch(deps, run, { ...way, upTo: decision.upTo, after });
  await holdRun(deps.db, { runId: run.id, because: decision.because });
  return { after, waitMs: 0 };
}

/**
 * Nothing may be left to claim while others still deliver, or have died with what they held. Then the waits grow to a
 * second; as soon as the run moves on there is none. Where a rate says how long to wait, it is so long.
 */
function openPatience(endsAt: number) {
  let idleMs = 0;
  let seen = -1;
  return {
    isLong: () => idleMs >= 1000,
    async wait(run: Run, least: number): Promise<void> {
      const isIdle = run.waiting === seen && least === 0;
      seen = run.waiting;
      idleMs = isIdle ? Math.min(Math.max(10, 2 * idleMs), 1000) : 0;
      const waitMs = Math.max(least, idleMs);
      if (waitMs > 0) await pause(Math.max(0, Math.min(waitMs, endsAt - Date.now())));
    },
  };
}
