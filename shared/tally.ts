import type { Delivered } from './deliver-batch.ts';

/** What came of a run's deliveries, in events. `released` and `stale` ones changed nothing. */
export type Tally = {
  claimed: number;
  delivered: number;
  transient: number;
  permanent: number;
  ambiguous: number;
  /** Given back undelivered, because the lease would not have lasted or the route had gone. */
  released: number;
  /** Delivered, but the lease was lost meanwhile: the outcome was refused. */
  stale: number;
  /** How many of the failed ones are FAILED_PERMANENTLY now. */
  failedPermanently: number;
};

export function emptyTally(): Tally {
  return {
    claimed: 0,
    delivered: 0,
    transient: 0,
    permanent: 0,
    ambiguous: 0,
    released: 0,
    stale: 0,
    failedPermanently: 0,
  };
}

/** Adds a settled batch to a tally. */
export function addToTally(tally: Tally, batch: readonly Delivered[]): void {
  for (const { settlement, isSettled } of batch) {
    tally.claimed += 1;
    if (isSettled) tally[settlement.outcome ?? 'released'] += 1;
    else tally.stale += 1;
    if (isSettled && settlement.status === 'FAILED_PERMANENTLY') tally.failedPermanently += 1;
  }
}
