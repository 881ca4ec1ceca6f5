import type { LeasedEvent } from '../../../shared/events.ts';
import { statement } from '../../../shared/sql.ts';

/**
 * An event as a run's worker holds it: its body and headers are the edited ones where a person edited it. `route` is the
 * place in the list of routes by which it was claimed, `place` its own in the run.
 */
export type RunEvent = LeasedEvent & {
  readonly is_edited: boolean;
  readonly route: number;
  readonly place: number;
};

/** Nothing comes back where the run is paused or has ended, where nothing is left, and where all that was looked at was skipped. */
export const claimRunEvents = statement<
  {
    runId: string;
    lanes: string;
    limit: number;
    upTo: number;
    lookahead: number;
    after: number;
    leaseToken: string;
    leaseSeconds: number;
  },
  RunEvent
>('claim-run-events');
