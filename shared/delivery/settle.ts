import { setTimeout as sleep } from 'node:timers/promises';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { log } from '../log.ts';
import { breakerTerms } from './breaker-terms.ts';
import { minClaimOf } from './claim-sizes.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import type { HealthReport } from './health-reports.ts';
import type { Delivered, Settled, Settlement } from './settlement.ts';
import { addSettled } from './tally.ts';
import { fail, isEmpty, type Work } from './work-state.ts';

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
  void judgeHealth(work, endOf(batch));
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
  const rows = await retryWhileUnavailable(endOf(batch), () => settleEvents(deps.db, { runId, settlements }));
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  // Of two deliveries of one event, a worker that stood still has lost the lease of the first.
  const find = ({ event, lease }: Delivered) => {
    const row = rowOf.get(event.id);
    return row?.leaseToken === lease.token ? row : undefined;
  };
  const { locked = [], others = [] } = Object.groupBy(batch, (delivered) =>
    find(delivered)?.isLocked ? 'locked' : 'others',
  );
  const settled = others.map((each) => ({ ...each, isSettled: find(each) !== undefined }));
  logPermanentFailures(runId, settled);
  return { settled, locked };
}

/** When the last lease of a batch ends, in ms since the epoch. */
function endOf(batch: readonly Delivered[]): number {
  return Math.max(...batch.map(({ lease }) => lease.endsAt));
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
    const { target, outcome, responseStatus } = settlement;
    log('WARNING', `event ${event.id}, ${event.eventType}, failed permanently: ${outcome} failure`, {
      action: 'fail permanently',
      runId,
      traceId: event.traceId,
      eventId: event.id,
      eventType: event.eventType,
      outcome,
      target,
      responseStatus,
      retryCount: event.retryCount,
    });
  }
}

const judgeBreakers = statement<{ reports: readonly HealthReport[] }, never>('judge-breakers', breakerTerms);

const setPace = statement<{ limits: readonly HealthReport[] }, never>('set-pace', breakerTerms);

/** After the settlement, which the pace needs, and apart from it: a locked breaker delays no outcome. */
async function judgeHealth(work: Work, endsAt: number): Promise<void> {
  const { health, deps, changes } = work;
  if (work.isJudging) return;
  work.isJudging = true;
  const take = () => health.takeNews(isEmpty({ ...work, isJudging: false }));
  try {
    for (let reports = take(); reports.length > 0; reports = take()) {
      const limits = reports.filter(({ pause }) => pause > 0);
      if (limits.length > 0) await unlessLocked(setPace(deps.db, { limits }), []);
      await judgeReports(deps, reports, endsAt);
    }
  } catch (error) {
    fail(work, error);
  } finally {
    work.isJudging = false;
    changes.announce();
  }
}

/** A locked breaker is left out: later deliveries show its health. */
async function judgeReports(
  { db }: Pick<DeliveryDeps, 'db'>,
  reports: readonly HealthReport[],
  endsAt: number,
): Promise<void> {
  try {
    const judging = () => unlessLocked(judgeBreakers(db, { reports }), undefined);
    if (await retryWhileUnavailable(endsAt, judging)) return;
    if (reports.length > 1)
      await Promise.all(reports.map((report) => judgeReports({ db }, [report], endsAt)));
    else
      log('WARNING', 'The health of a target was not recorded: its breaker is locked.', {
        target: reports[0]?.target,
      });
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    log('WARNING', 'The health of targets was not recorded.', { error: String(error.cause) });
  }
}

/** Repeats work while the database is unavailable, until `endsAt` in ms since the epoch; then throws. */
export async function retryWhileUnavailable<Result>(
  endsAt: number,
  run: () => Promise<Result>,
): Promise<Result> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || Date.now() + waitMs >= endsAt) throw error;
      await sleep(waitMs);
    }
  }
}
