import { log } from '../log.ts';
import type { Settled } from './settlement.ts';

/** Log lines per batch: a target that rejects everything would cause thousands. The run's tally counts all of them. */
const maxLines = 20;

/** Logs the permanently failed events of a batch, without the target's response, which may contain anything. */
export function logPermanentFailures(runId: string, settled: readonly Settled[]): void {
  const permanentFailures = settled.filter(
    ({ isSettled, settlement }) =>
      isSettled && settlement.isFailure && settlement.status === 'FAILED_PERMANENTLY',
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
