import { callWorker } from '../../../shared/continuation.ts';
import type { DeliveryDeps } from '../../../shared/deliver-batch.ts';
import { holdSlot } from '../../../shared/slots.ts';
import { emptyTally } from '../../../shared/tally.ts';
import { aliveSeconds, type Place } from '../../../shared/work-on-run.ts';
import { callForWork } from './api/call-for-work.ts';
import { type ReplayStop, workOnReplay } from './work-on-replay.ts';

/** What a worker that was called for a replay came to. Its progress is in the run itself. */
export type ReplayWork = { readonly runId: string; readonly stopped: ReplayStop };

/** Works on a replay from one of its slots. A worker whose time is spent calls another in its place. */
export async function workFromSlot(deps: DeliveryDeps, place: Place): Promise<ReplayWork> {
  const { runId, endsAt } = place;
  const tallies = { all: emptyTally(), targets: {} };
  const slot = holdSlot(deps.db, place, { tallies, aliveSeconds: aliveSeconds(deps) });
  let stopped: ReplayStop;
  try {
    stopped = await workOnReplay(deps, runId, endsAt);
  } finally {
    // If this fails, its silence will tell.
    await slot.leave().catch(() => {});
  }
  const { continueTopic } = deps.retry;
  if (stopped === 'time budget spent' && continueTopic !== undefined) {
    await callForWork({ callWorker: (id) => callWorker(continueTopic, id) }, runId);
  }
  return { runId, stopped };
}
