import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import type { Status } from '../message/event.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import { settleEvents } from './settle.ts';
import { release, type Settlement } from './settlement.ts';
import type { Work } from './work-state.ts';

const firstAnswer = 'The worker disappeared before it could settle.';
export const againLost = 'The worker disappeared again before it could settle.';

/** `target` is null for an event that was not sent. */
export type Recovered = {
  readonly id: string;
  readonly target: string | null;
  readonly isGivenUp: boolean;
};

type Ended = Recovered & {
  readonly leaseToken: string;
  readonly runId: string | null;
  readonly failureCount: number;
  readonly status: Status;
  /** Text: a Date loses the microseconds. */
  readonly processedAt: string | null;
  readonly answer: string | null;
  readonly startedAt: Date;
  readonly durationMs: number;
};

const recoverLeases = statement<{ maxLost: number }, Ended>('recover-leases');

const purgeLeases = statement<Record<string, never>, never>('purge-leases');

const recoverEveryMs = 5000;

/**
 * Settles the events of all leases that have ended: what was sent is lost, which costs a retry, and the rest
 * is released. Locked rows are left to the next call. Throws DatabaseUnavailableError.
 */
export async function recover(deps: Pick<DeliveryDeps, 'db' | 'retry'>): Promise<Recovered[]> {
  const recovered = await recoverSome(deps);
  return recovered.length === 0 ? [] : [...recovered, ...(await recover(deps))];
}

async function recoverSome({ db, retry }: Pick<DeliveryDeps, 'db' | 'retry'>): Promise<Recovered[]> {
  await unlessLocked(purgeLeases(db, {}), []);
  const ended = await recoverLeases(db, { maxLost: retry.maxLost });
  const recovered: Recovered[] = [];
  for (const [runId, ofRun] of Map.groupBy(ended, (each) => each.runId))
    recovered.push(...(await unlessLocked(settleLost(db, runId, ofRun), [])));
  return recovered;
}

async function settleLost(db: Database, runId: string | null, ended: readonly Ended[]): Promise<Ended[]> {
  const rows = await settleEvents(db, { runId, settlements: ended.map(loseOrRelease) });
  const settled = new Set(rows.filter(({ isLocked }) => !isLocked).map(({ id }) => id));
  return ended.filter(({ id }) => settled.has(id));
}

function loseOrRelease(ended: Ended): Settlement {
  const { id, leaseToken: token, failureCount, status, processedAt, target, startedAt, durationMs } = ended;
  const before = { status, processedAt };
  const released = release({ event: { id, failureCount }, lease: { token }, before });
  if (target === null) return released;
  const isAgain = ended.answer === firstAnswer || ended.answer === againLost;
  const closed = { status: 'FAILED_PERMANENTLY', processedAt: null, runOutcome: 'failed' } as const;
  return {
    ...released,
    ...(ended.isGivenUp && { ...closed, runReason: 'lost' }),
    isFailed: true,
    outcome: 'lost',
    target,
    startedAt,
    durationMs,
    answer: isAgain ? againLost : firstAnswer,
  };
}

/** Recovers as `recover` does, every few seconds. */
export async function recoverInTime(work: Work): Promise<void> {
  if (performance.now() >= work.recoversAt) addRecovered(work, await recover(work.deps));
}

/** Counts what was lost; the next recovery is due in a few seconds. */
export function addRecovered(work: Work, recovered: readonly Recovered[]): void {
  work.recoversAt = performance.now() + recoverEveryMs;
  const lost = recovered.filter(({ target }) => target !== null);
  const tally = work.tallies.all;
  tally.lost += lost.length;
  tally.failedPermanently += lost.filter(({ isGivenUp }) => isGivenUp).length;
}
