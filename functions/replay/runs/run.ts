import type { Origin } from '../../../shared/routes.ts';
import { statement } from '../../../shared/sql.ts';
import type { Course } from './decide-pace.ts';
import type { RunRequest } from './run-request.ts';

/** How far a run is: selected = delivered + failed + skipped + waiting, at all times. Those in flight wait as well. */
export type Progress = {
  readonly selected: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: number;
  readonly waiting: number;
  readonly in_flight: number;
};

/** A lane that a selection came from. */
export type RunLane = Origin & { readonly lane: string };

/** What is kept of a request with its run: all but what is edited, which has a place of its own. */
export type KeptRequest = Pick<RunRequest, 'filter' | 'includeSucceeded' | 'includeDiscarded' | 'target'>;

/** A replay as its row has it. */
export type Run = Progress &
  Course & {
    readonly id: string;
    readonly started_at: Date;
    readonly ended_at: Date | null;
    readonly stopped: string | null;
    readonly requested_by: string;
    readonly reason: string | null;
    readonly request: KeptRequest;
    readonly idempotency_key: string | null;
    /** JSON text, as it was written. */
    readonly patch: string | null;
    readonly origins: readonly RunLane[];
    readonly left_out: Readonly<Record<string, number>>;
    readonly selection_hash: string;
    readonly paused_because: string | null;
    readonly watch_seconds: number;
    readonly leg_began_at: Date;
  };

export const findRun = statement<{ runId: string }, Run>('find-run');
