import { log } from '../../../../shared/log.ts';
import type { ReplayDeps } from '../../replay-deps.ts';

/** Asks for a worker, where the office has a way to. One that cannot be called is made up for by the next tick. */
export async function callForWork(
  { callWorker }: Pick<ReplayDeps, 'callWorker'>,
  runId: string,
): Promise<void> {
  try {
    await callWorker?.(runId);
  } catch (error) {
    log('WARNING', 'No worker could be called: the run begins with the next tick.', {
      runId,
      error: String(error),
    });
  }
}
