import type { LeasedEvent } from './events.ts';
import type { Settled } from './settle-batch.ts';

/** What came of a run, in events. `released` and `stale` ones changed nothing. */
export type Tally = {
  claimed: number;
  delivered: number;
  transient: number;
  permanent: number;
  ambiguous: number;
  /** Found with an expired lease: their worker disappeared with them. */
  lost: number;
  /** Given back undelivered: the lease would not have lasted, the target is down, or the route has gone. */
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
    lost: 0,
    released: 0,
    stale: 0,
    failedPermanently: 0,
  };
}

/** A run's tally, in all and for each target. */
export type Tallies = { readonly all: Tally; readonly targets: Record<string, Tally> };

/** What was added to `before` until it was `now`; targets to which nothing was added are left out. */
export function subtractTallies(now: Tallies, before: Tallies): Tallies {
  const targets = Object.entries(now.targets).map(
    ([target, tally]) => [target, subtract(tally, before.targets[target] ?? emptyTally())] as const,
  );
  return {
    all: subtract(now.all, before.all),
    targets: Object.fromEntries(targets.filter(([, tally]) => tally.claimed > 0)),
  };
}

function subtract(now: Tally, before: Tally): Tally {
  const names = Object.keys(now) as (keyof Tally)[];
  return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as Tally;
}

/** Adds what a claim found out about events whose workers had disappeared. */
export function addLost({ all }: Tallies, claimed: readonly LeasedEvent[]): void {
  all.lost += claimed.filter((event) => event.was_lost).length;
  all.failedPermanently += claimed.filter(({ status }) => status === 'FAILED_PERMANENTLY').length;
}

/** Adds a settled batch. */
export function addSettled(tallies: Tallies, batch: readonly Settled[]): void {
  for (const settled of batch) {
    add(tallies.all, settled);
    const { target } = settled.settlement;
    if (target === null) continue;
    tallies.targets[target] ??= emptyTally();
    add(tallies.targets[target], settled);
  }
}

function add(tally: Tally, { settlement, isSettled }: Settled): void {
  tally.claimed += 1;
  if (isSettled) tally[settlement.outcome ?? 'released'] += 1;
  else tally.stale += 1;
  if (isSettled && settlement.status === 'FAILED_PERMANENTLY') tally.failedPermanently += 1;
}
