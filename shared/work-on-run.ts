import { callWorker } from './continuation.ts';
import type { DeliveryDeps } from './deliver-batch.ts';
import { log } from './log.ts';
import { closeIdleRun } from './runs.ts';
import { type HeldSlot, holdSlot, type Slot } from './slots.ts';
import { emptyTally, type Tallies } from './tally.ts';

/** For so long after its last sign of life a worker counts as being at work, and its slot as taken. */
const mostAliveSeconds = 20;

/** Why a worker stops that was silent for so long that another has its slot. */
export const slotLost = 'slot lost';

export function aliveSeconds({ retry }: Pick<DeliveryDeps, 'retry'>): number {
  return Math.min(retry.leaseSeconds, mostAliveSeconds);
}

/** Where a worker works, and until when in ms since the epoch. */
export type Place = Slot & { readonly dueAt: string; readonly endsAt: number };

/** A run as its worker sees it. */
export type Work = Pick<HeldSlot, 'dueAt' | 'isLost'> & {
  readonly runId: string;
  readonly endsAt: number;
  readonly tallies: Tallies;
  /** Calls one more worker, unless all that the run may have were called. */
  callHelper(): void;
};

export type Worked<Stop> = {
  readonly stopped: Stop;
  /** What this worker did. */
  readonly tallies: Tallies;
  /** What the run came to, where this worker was the last of it. */
  readonly run: Tallies | null;
};

/**
 * Works on a run from its slot until `drain` stops. A worker whose time is spent calls another in its place; otherwise
 * the run is closed by whoever is the last to leave. One that fails leaves it open, for the others and the next tick.
 */
export async function workOnRun<Stop extends string>(
  deps: DeliveryDeps,
  place: Place,
  drain: (work: Work) => Promise<Stop | typeof slotLost>,
): Promise<Worked<Stop | typeof slotLost>> {
  const tallies: Tallies = { all: emptyTally(), targets: {} };
  const slot = holdSlot(deps.db, place, { tallies, aliveSeconds: aliveSeconds(deps) });
  const { call, callHelper, finish } = openCalls(deps, place);
  const { dueAt, isLost } = slot;
  const { runId, endsAt } = place;
  try {
    const stopped = await drainAll(slot, () => drain({ runId, endsAt, tallies, dueAt, isLost, callHelper }));
    await slot.leave();
    const isHandedOver = stopped === 'time budget spent' && call();
    const [run] = isHandedOver || stopped === slotLost ? [] : await closeIdleRun(deps.db, { runId, stopped });
    return { stopped, tallies, run: run ? { all: run.tally, targets: run.targets } : null };
  } catch (error) {
    // It has failed already; if this fails as well, its silence will tell.
    await slot.leave().catch(() => {});
    throw error;
  } finally {
    await finish();
  }
}

/** Once more where a tick came that found this worker at it, and left to it what has become due since. */
async function drainAll<Stop>(slot: HeldSlot, drain: () => Promise<Stop>): Promise<Stop> {
  for (;;) {
    const dueAt = slot.dueAt();
    const stopped = await drain();
    if (stopped !== 'nothing due') return stopped;
    await slot.report();
    if (slot.dueAt() === dueAt) return stopped;
  }
}

/** Calls other workers without waiting for it, where there is a topic to call them by. */
function openCalls({ retry }: DeliveryDeps, { runId, slot }: Slot) {
  const calls: Promise<void>[] = [];
  const call = () => {
    const { continueTopic } = retry;
    if (continueTopic === undefined) return false;
    calls.push(callWorker(continueTopic, runId).catch((error: unknown) => tellFailure(runId, error)));
    return true;
  };
  return {
    call,
    callHelper() {
      // One worker of a run alone calls, or all would call the same helpers.
      if (slot === 1 && calls.length < retry.workers - 1) call();
    },
    finish: () => Promise.all(calls),
  };
}

function tellFailure(runId: string, error: unknown): void {
  log(
    'WARNING',
    'A worker could not be called: what it would have done is left to the others and the next tick.',
    {
      runId,
      error: String(error),
    },
  );
}
