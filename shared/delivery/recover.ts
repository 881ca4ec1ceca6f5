import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unless-locked.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import type { Tally } from './tally.ts';
import type { Work } from './work-state.ts';

/** The answer of a delivery whose worker disappeared. */
const answer = 'The worker disappeared before it could settle.';
export const againLost = 'The worker disappeared again before it could settle.';

/** `target` is null for an event that was not sent. */
export type Recovered = {
  readonly id: string;
  readonly target: string | null;
  readonly isGivenUp: boolean;
};

export const recoverLeases = statement<
  { max: number; maxLost: number; answer: string; again: string },
  Recovered
>('recover-leases', import.meta.url);

const purgeLeases = statement<Record<string, never>, never>('purge-leases', import.meta.url);

/** Leases that one statement recovers. */
const maxLeases = 100;

/** How often a worker looks for leases that have ended, in ms. */
export const recoverEveryMs = 5000;

/** Recovers the events of all leases that have ended. What is locked is left to the next call. Throws DatabaseUnavailableError. */
export async function recover({ db, retry }: Pick<DeliveryDeps, 'db' | 'retry'>): Promise<Recovered[]> {
  await unlessLocked(purgeLeases(db, {}), []);
  const terms = { maxLost: retry.maxLost, answer, again: againLost };
  const recovered = await unlessLocked(recoverLeases(db, { ...terms, max: maxLeases }), undefined);
  // Any one of them: a locked row holds up its own lease alone.
  return recovered ?? unlessLocked(recoverLeases(db, { ...terms, max: 1 }), []);
}

/** Recovers as `recover` does, every few seconds, and counts what was lost. */
export async function recoverInTime(work: Work): Promise<void> {
  if (Date.now() < work.recoversAt) return;
  work.recoversAt = Date.now() + recoverEveryMs;
  countLost(work.tallies.all, await recover(work.deps));
}

/** Counts recovered events that had been sent. */
export function countLost(tally: Tally, recovered: readonly Recovered[]): void {
  const lost = recovered.filter(({ target }) => target !== null);
  tally.lost += lost.length;
  tally.failedPermanently += lost.filter(({ isGivenUp }) => isGivenUp).length;
}
