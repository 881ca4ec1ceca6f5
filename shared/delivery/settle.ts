import { setTimeout as sleep } from 'node:timers/promises';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unless-locked.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { log } from '../log.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import type { Delivered, Settled, Settlement } from './settlement.ts';
import type { HealthReport } from './target-health.ts';

/** Returns the ids that were settled, and those that another transaction has locked; the lease of a missing id was lost. */
export const settleEvents = statement<
  { runId: string | null; settlements: readonly Settlement[]; maxRecurrences: number },
  { readonly id: string; readonly isLocked: boolean }
>('settle-events', import.meta.url);

/** Adds deliveries to the statistics of their targets, which open and close the breakers. Returns the targets that have one. */
const judgeBreakers = statement<{ reports: readonly HealthReport[] }, { readonly target: string }>(
  'judge-breakers',
  import.meta.url,
);

type Batch = { readonly runId: string | null; readonly batch: readonly Delivered[] };

/**
 * Records the outcomes and attempts of a batch. Returns what was settled or lost, and the `locked` deliveries: another
 * transaction has locked their events, so that they must be settled again. Retries while the database is unavailable, until
 * the last lease of the batch ends; then throws DatabaseUnavailableError.
 */
export async function settle(
  { db, retry: { maxRecurrences } }: DeliveryDeps,
  { runId, batch }: Batch,
): Promise<{ readonly settled: Settled[]; readonly locked: Delivered[] }> {
  const current = listCurrent(batch);
  const settlements = [...current.values()].map(({ settlement }) => settlement);
  const rows = await retryWhileUnavailable(endOf(batch), () =>
    settleEvents(db, { runId, settlements, maxRecurrences }),
  );
  const isLocked = new Map(rows.map((row) => [row.id, row.isLocked]));
  const locked = [...current.values()].filter(({ event }) => isLocked.get(event.id) === true);
  const settled = batch
    .filter((delivered) => !locked.includes(delivered))
    .map((delivered) => {
      const { event, settlement } = delivered;
      return { event, settlement, isSettled: current.get(event.id) === delivered && isLocked.has(event.id) };
    });
  logPermanentFailures(runId, settled);
  return { settled, locked };
}

/** The deliveries by event, of two of one event that with the later lease: a worker that stood still claimed it again. */
function listCurrent(batch: readonly Delivered[]): ReadonlyMap<string, Delivered> {
  const current = new Map<string, Delivered>();
  for (const delivered of batch) {
    const other = current.get(delivered.event.id);
    if (!other || other.lease.endsAt <= delivered.lease.endsAt) current.set(delivered.event.id, delivered);
  }
  return current;
}

/**
 * Records the health of targets, and returns those without a breaker: they have not failed. Retries as `settle` does, but waits a
 * moment only for a breaker that another session has locked, and records the others. The next deliveries show the health again.
 */
export async function judge(
  { db }: Pick<DeliveryDeps, 'db'>,
  reports: readonly HealthReport[],
  endsAt: number,
): Promise<readonly string[]> {
  try {
    const judging = () => unlessLocked(judgeBreakers(db, { reports }), undefined);
    const judged = await retryWhileUnavailable(endsAt, judging);
    if (judged) {
      const targets = new Set(judged.map(({ target }) => target));
      return reports.map(({ target }) => target).filter((target) => !targets.has(target));
    }
    if (reports.length > 1)
      return (await Promise.all(reports.map((report) => judge({ db }, [report], endsAt)))).flat();
    log('WARNING', 'The health of a target was not recorded: its breaker is locked.', {
      target: reports[0]?.target,
    });
    return [];
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    log('WARNING', 'The health of targets was not recorded.', { error: String(error.cause) });
    return [];
  }
}

/** Returns when the last lease of a batch ends, in ms since the epoch. */
export function endOf(batch: readonly Delivered[]): number {
  return Math.max(...batch.map(({ lease }) => lease.endsAt));
}

/** Repeats work while the database is unavailable, until `endsAt` (ms since the epoch). Throws DatabaseUnavailableError. */
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

/** Log lines per batch: a target that rejects everything would cause thousands. The run's tally counts all of them. */
const maxLines = 20;

/** Logs the permanently failed events of a batch, without the target's response, which may contain anything. */
export function logPermanentFailures(runId: string | null, settled: readonly Settled[]): void {
  const permanentFailures = settled.filter(
    ({ isSettled, settlement: { isFailure, outcome, failureKind, status } }) =>
      isSettled && (isFailure || (!outcome && failureKind)) && status === 'FAILED_PERMANENTLY',
  );
  for (const { event, settlement } of permanentFailures.slice(0, maxLines)) {
    const { target, outcome, responseStatus } = settlement;
    const why = outcome ? `${outcome} failure` : 'refused by its route';
    log('WARNING', `event ${event.id}, ${event.eventType}, failed permanently: ${why}`, {
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
