import { callWorker } from '../../../shared/continuation.ts';
import type { DeliveryDeps } from '../../../shared/deliver-batch.ts';
import { log } from '../../../shared/log.ts';
import { statement } from '../../../shared/sql.ts';
import { callForWork } from './api/call-for-work.ts';
import { recoverRunEvents, workOnReplay } from './work-on-replay.ts';

const listIdleRuns = statement<Record<string, never>, { readonly id: string }>('list-idle-runs');

/**
 * Sees to the replays that nobody works on: calls a worker for each, or where none can be called works on them, one after
 * the other, for at most half of the time that a tick has: the rest is for what is due. Before anything else what dead workers
 * of replays held goes back to what it was. A run that fails leaves its events to the next tick, and this one to
 * everybody else.
 */
export async function continueReplays(deps: DeliveryDeps, endsAt: number): Promise<void> {
  await recoverRunEvents(deps.db, {});
  const { continueTopic } = deps.retry;
  const now = Date.now();
  for (const { id } of await listIdleRuns(deps.db, {})) {
    const work =
      continueTopic === undefined
        ? workOnReplay(deps, id, now + (endsAt - now) / 2)
        : callForWork({ callWorker: (runId) => callWorker(continueTopic, runId) }, id);
    await work.catch((error: unknown) => {
      log('ERROR', 'A replay could not be worked on.', { runId: id, error: String(error) });
    });
  }
}
