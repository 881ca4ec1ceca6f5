import type { LeasedEvent, Settlement } from './events.ts';
import { log } from './log.ts';

/** A target that refuses everything would say so a thousand times; the tally of the run counts them all. */
const mostLines = 20;

type Settled = { readonly event: LeasedEvent; readonly settlement: Settlement; readonly isSettled: boolean };

/** Says of each event that only people will take up again why, without what the target answered, which may hold anything. */
export function logGivenUp(runId: string, settled: readonly Settled[]): void {
  const givenUp = settled.filter(
    ({ isSettled, settlement }) => isSettled && settlement.status === 'FAILED_PERMANENTLY',
  );
  for (const { event, settlement } of givenUp.slice(0, mostLines)) {
    const { target, outcome, response_status: responseStatus } = settlement;
    log('WARNING', `gave up event ${event.id}, ${event.event_type}: ${outcome} failure`, {
      act: 'give up',
      runId,
      traceId: event.trace_id,
      eventId: event.id,
      eventType: event.event_type,
      outcome,
      target,
      responseStatus,
      retryCount: event.retry_count,
    });
  }
}
