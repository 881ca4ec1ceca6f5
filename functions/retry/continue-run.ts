import { randomUUID } from 'node:crypto';
import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import type { Trigger } from '../../shared/runs.ts';
import { openSlots, takeSlot } from '../../shared/slots.ts';
import { aliveSeconds, type Place } from '../../shared/work-on-run.ts';
import { type ReplayWork, workFromSlot } from '../replay/runs/work-from-slot.ts';
import { type Tick, workOnTick } from './run-tick.ts';

/** How a run is worked on from one of its slots, by what it was opened by. */
const kinds: Record<Trigger, (deps: DeliveryDeps, place: Place) => Promise<Tick | ReplayWork>> = {
  schedule: workOnTick,
  replay: workFromSlot,
};

/**
 * Works on a run that somebody else has opened, as its continuation messages ask for. Undefined where there is nothing to
 * do: the run is over, or it has all its workers.
 */
export async function continueRun(deps: DeliveryDeps, runId: string): Promise<Tick | ReplayWork | undefined> {
  const { db, retry } = deps;
  const endsAt = Date.now() + retry.continueBudgetSeconds * 1000;
  const token = randomUUID();
  const { workers } = retry;
  await openSlots(db, { runId, workers });
  const claim = { runId, token, workers, aliveSeconds: aliveSeconds(deps) };
  const [taken] = await takeSlot(db, claim);
  if (!taken) return undefined;
  return kinds[taken.trigger](deps, { runId, token, slot: taken.slot, dueAt: taken.due_at, endsAt });
}
