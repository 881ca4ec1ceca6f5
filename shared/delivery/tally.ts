import type { Settled } from './settlement.ts';
import { attemptOutcomes } from './targets/outcome.ts';

const names = [
  'claimed',
  // Lost: recovered after they had been sent, because their worker disappeared before it settled them.
  ...attemptOutcomes,
  // Released undelivered: the lease was too short, the target was down, or no route matched any more.
  'released',
  // Delivered after the lease was lost: the outcome was not recorded.
  'stale',
  // Failed events that became FAILED_PERMANENTLY, and refused ones.
  'failedPermanently',
  // Not sent, because they have expired or are of a permanent class.
  'refused',
] as const;

/** In events. `released` and `stale` events were not changed. */
export type Tally = Record<(typeof names)[number], number>;

export type Tallies = { readonly all: Tally; readonly targets: Record<string, Tally> };

export function emptyTally(): Tally {
  return Object.fromEntries(names.map((name) => [name, 0])) as Tally;
}

export function emptyTallies(): Tallies {
  return { all: emptyTally(), targets: {} };
}

type Counted = Pick<Settled, 'settlement' | 'isSettled'>;

export function addSettled(tallies: Tallies, batch: readonly Counted[]): void {
  for (const settled of batch) {
    addOutcome(tallies.all, settled);
    const { target } = settled.settlement;
    if (target === undefined) continue;
    tallies.targets[target] ??= emptyTally();
    addOutcome(tallies.targets[target], settled);
  }
}

function addOutcome(tally: Tally, { settlement, isSettled }: Counted): void {
  tally.claimed += 1;
  if (isSettled) tally[settlement.outcome ?? 'released'] += 1;
  else tally.stale += 1;
  const { status, isFailed } = settlement;
  if (isSettled && isFailed && status === 'FAILED_PERMANENTLY') tally.failedPermanently += 1;
}
