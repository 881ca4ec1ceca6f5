import type { Batch, DeliveredBatch } from './deliver-batch.ts';
import { DatabaseUnavailableError } from './errors.ts';
import { type LeasedEvent, type Settlement, settleEvents } from './events.ts';
import { logGivenUp } from './log-given-up.ts';

export type Settled = {
  readonly event: LeasedEvent;
  readonly settlement: Settlement;
  /** False: the lease was lost meanwhile, and nothing was changed. */
  readonly isSettled: boolean;
};

/**
 * Records a batch's outcomes, its attempts and the health of its targets in one statement. Outcomes are worth more
 * than patience: a database that is away for a moment is tried until the lease ends.
 */
export async function settleBatch(batch: Batch, delivered: DeliveredBatch): Promise<Settled[]> {
  const { db, lease, runId, retry } = batch;
  const params = {
    runId,
    settlements: JSON.stringify(delivered.settlements),
    reports: JSON.stringify(delivered.reports),
    maxReturns: retry.maxReturns,
  };
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      const ids = new Set((await settleEvents(db, params)).map(({ id }) => id));
      const settled = delivered.events.map((event, i) => {
        const settlement = delivered.settlements[i] as Settlement;
        return { event, settlement, isSettled: ids.has(event.id) };
      });
      logGivenUp(runId, settled);
      return settled;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || Date.now() + waitMs >= lease.endsAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
