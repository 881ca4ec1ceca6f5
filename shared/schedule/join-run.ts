import { randomUUID } from 'node:crypto';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { aliveSecondsOf, openSlots, takeSlot } from '../delivery/slots.ts';
import { type ReplayWork, workOnReplay } from '../replay/work-on-replay.ts';
import { type Tick, workOnTick } from './run-tick.ts';

/**
 * Works on a run for which another worker requested help. Returns undefined if the run has ended or all its slots are
 * taken.
 */
export async function joinRun(deps: DeliveryDeps, runId: string): Promise<Tick | ReplayWork | undefined> {
  const { db, retry } = deps;
  const endsAt = Date.now() + retry.continueBudgetSeconds * 1000;
  const token = randomUUID();
  const { workers } = retry;
  await openSlots(db, { runId, workers });
  const [taken] = await takeSlot(db, { runId, token, workers, aliveSeconds: aliveSecondsOf(deps) });
  if (!taken) return undefined;
  const slot = { number: taken.slot, token, dueAt: taken.dueAt };
  return taken.trigger === 'schedule'
    ? workOnTick(deps, runId, { slot, endsAt })
    : { runId, stopped: await workOnReplay(deps, runId, { slot, endsAt }) };
}
