import { setTimeout as sleep } from 'node:timers/promises';
import { statement } from '../database/statement.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { log } from '../log.ts';
import { minClaimOf } from './claim-sizes.ts';
import { judgeHealth } from './judge-health.ts';
import type { Delivered, Settled, Settlement } from './settlement.ts';
import { addSettled } from './tally.ts';
import { fail, type Work } from './work-state.ts';

// An outcome changes its event only while that has the token of its lease, which the statement sees: a worker
// that comes late does no harm. Its next state is decided before, in settlement.ts.

/** Settles events, but for locked ones. The lease of an event without a row was lost. */
export const settleEvents = statement<
  { runId: string | null; settlements: readonly Settlement[] },
  { readonly id: string; readonly leaseToken: string; readonly isLocked: boolean }
>('settle-events');

/** In ms: an outcome waits for others while slower deliveries are in flight. */
const maxWaitMs = 100;
/** In ms: before the next try if another transaction has locked the event. */
const lockedWaitMs = 500;

/**
 * Settles outcomes in batches, one statement each and one at a time: once there are many, or no more are
 * expected, or the first has waited for a moment. A slow delivery delays neither the next lease nor the
 * outcomes of others.
 */
export function settleSoon(work: Work): void {
  const { outcomes, inFlight, deps } = work;
  if (work.isSettling || outcomes.length === 0) return;
  // Half of them: a replay with a gate leases no more before it knows the outcomes of the first ones.
  const enough = Math.max(minClaimOf(deps.retry.batchSize), Math.min(inFlight.size, deps.retry.batchSize));
  if (inFlight.size === 0 || outcomes.length >= enough) void settleAll(work);
  else work.settleTimer ??= setTimeout(() => settleAll(work), maxWaitMs);
}

async function settleAll(work: Work): Promise<void> {
  clearTimeout(work.settleTimer);
  work.settleTimer = undefined;
  const batch = work.outcomes.splice(0);
  work.isSettling = true;
  work.settling += batch.length;
  try {
    const { settled, locked } = await settle(work, batch);
    recordSettled(work, settled);
    for (const delivered of locked) settleLater(work, delivered);
  } catch (error) {
    fail(work, error);
  }
  work.settling -= batch.length;
  work.isSettling = false;
  settleSoon(work);
  void judgeHealth(work);
  work.changes.announce();
}

function recordSettled({ tallies, delivered }: Work, settled: readonly Settled[]): void {
  addSettled(tallies, settled);
  const isDone = ({ event, route, settlement }: Settled) =>
    event.sourceKey !== null && route.ordered && settlement.outcome === 'delivered';
  delivered.push(...settled.filter(isDone).map(({ event }) => event.id));
}

/** An event that another transaction has locked delays no other. Its lease ends at last. */
function settleLater(work: Work, delivered: Delivered): void {
  if (Date.now() + lockedWaitMs >= delivered.lease.endsAt) {
    addSettled(work.tallies, [{ ...delivered, isSettled: false }]);
    return;
  }
  work.settling += 1;
  setTimeout(() => {
    work.settling -= 1;
    work.outcomes.push(delivered);
    settleSoon(work);
  }, lockedWaitMs);
}

/**
 * Records the outcomes and attempts of a batch. `locked`: another transaction has locked their events, so
 * that they must be settled again. Retries while the database is unavailable, until the last lease of the
 * batch ends; then throws DatabaseUnavailableError.
 */
export async function settle(
  { deps, runId }: Pick<Work, 'deps' | 'runId'>,
  batch: readonly Delivered[],
): Promise<{ readonly settled: Settled[]; readonly locked: Delivered[] }> {
  const settlements = batch.map(({ settlement }) => settlement);
  const endsAt = Math.max(...batch.map(({ lease }) => lease.endsAt));
  const rows = await retryWhileUnavailable(endsAt, () => settleEvents(deps.db, { runId, settlements }));
  // By its lease, too: of two deliveries of one event, a worker that stood still has lost the first lease.
  const keyOf = ({ id, leaseToken }: Pick<Settlement, 'id' | 'leaseToken'>) => `${id} ${leaseToken}`;
  const found = new Map(rows.map((row) => [keyOf(row), row.isLocked]));
  const isLocked = ({ settlement }: Delivered) => found.get(keyOf(settlement));
  const locked = batch.filter((each) => isLocked(each) === true);
  const others = batch.filter((each) => isLocked(each) !== true);
  const settled = others.map((each) => ({ ...each, isSettled: isLocked(each) === false }));
  logPermanentFailures(runId, settled);
  return { settled, locked };
}

async function retryWhileUnavailable<Result>(endsAt: number, run: () => Promise<Result>): Promise<Result> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || Date.now() + waitMs >= endsAt) throw error;
      await sleep(waitMs);
    }
  }
}

/** Log lines per batch: a target that rejects everything would cause thousands. The tally counts all. */
const maxLines = 20;

/** Logs permanent failures without the target's response, which may contain anything. */
export function logPermanentFailures(
  runId: string | null,
  settled: readonly Pick<Settled, 'event' | 'settlement' | 'isSettled'>[],
): void {
  const permanentFailures = settled.filter(
    ({ isSettled, settlement: { isFailed, status } }) =>
      isSettled && isFailed && status === 'FAILED_PERMANENTLY',
  );
  for (const { event, settlement } of permanentFailures.slice(0, maxLines)) {
    const { id: eventId, eventType, traceId, retryCount } = event;
    const { target, outcome, responseStatus } = settlement;
    const facts = { runId, traceId, eventId, eventType, outcome, target, responseStatus, retryCount };
    const message = `event ${eventId}, ${eventType}, failed permanently: ${outcome} failure`;
    log('WARNING', message, { action: 'fail permanently', ...facts });
  }
}
