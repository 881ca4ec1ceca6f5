import { statement } from '../database/statement.ts';
import type { Origin } from '../events/event.ts';
import type { RolloutState } from './decide-rollout.ts';
import type { RunRequest } from './run-request.ts';

/** The progress of a run: always selected = delivered + failed + skipped + waiting. Events in flight count as waiting. */
export type Progress = {
  readonly selected: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: number;
  readonly waiting: number;
  readonly inFlight: number;
};

/** A lane with events of a selection. */
export type RunLane = Origin & { readonly lane: string };

/** The part of a request that its run stores. Edits are stored in dlq_run_edits. */
export type KeptRequest = Pick<RunRequest, 'filter' | 'includeSucceeded' | 'includeDiscarded' | 'target'>;

/** The row of a replay. */
export type Run = Progress &
  RolloutState & {
    readonly id: string;
    readonly startedAt: Date;
    readonly endedAt: Date | null;
    readonly stopped: string | null;
    readonly requestedBy: string;
    readonly reason: string | null;
    readonly request: KeptRequest;
    readonly idempotencyKey: string | null;
    /** The JSON text of the request. */
    readonly patch: string | null;
    readonly origins: readonly RunLane[];
    readonly excluded: Readonly<Record<string, number>>;
    readonly selectionHash: string;
    readonly pausedBecause: string | null;
    readonly watchSeconds: number;
    readonly stageBeganAt: Date;
  };

export const findRun = statement<{ runId: string }, Run>('find-run', import.meta.url);
