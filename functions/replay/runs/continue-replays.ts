import { callWorker } from '../../../shared/continuation.ts';
import type { DeliveryDeps } from '../../../shared/deliver-batch.ts';
import { statement } from '../../../shared/sql.ts';
import { callForWork } from './api/call-for-work.ts';
import { recoverRunEvents, workOnReplay } from './work-on-replay.ts';

const listIdleRuns = statement<Record<string, never>, { readonly id: string }>('list-idle-runs');

/**
 * Sees to the replays that nobody works on: calls a worker for each, or where none can be called works on them, one after the
 * other, for at most half of the time that a tick has: the rest is for what is due. Before anything else what
 * dead workers of replays held goes back to what it was.
 */
export async function continueReplays(deps: DeliveryDeps, endsAt: number): Promise<void> {
  await recoverRunEvents(deps.db, {});
  const { continueTopic } = deps.retry;
  const now = Date.now();
  for (const { id } of await listIdleRuns(deps.db, {})) {
    if (continueTopic === undefined) await workOnReplay(deps, id, now + (endsAt - now) / 2);
    else await callForWork({ callWorker: (runId) => callWorker(continueTopic, runId) }, id);
  }
}
