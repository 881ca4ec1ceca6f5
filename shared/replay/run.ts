import * as v from 'valibot';
import { statement } from '../database/statement.ts';
import type { Origin } from '../message/event.ts';
import { count, described } from '../response-values.ts';
import type { RolloutState } from './decide-rollout.ts';
import type { RunRequest } from './run-request.ts';

/** The progress of a run. */
export const ProgressSchema = v.strictObject({
  selected: count,
  delivered: count,
  failed: count,
  skipped: count,
  waiting: described(count, 'At all times selected = delivered + failed + skipped + waiting.'),
  inFlight: described(count, 'The waiting events that are being delivered.'),
});

export type Progress = Readonly<v.InferOutput<typeof ProgressSchema>>;

/** A lane with events of a selection. */
export type RunLane = Origin & { readonly lane: string };

/** The part of a request that its run stores. */
type KeptRequest = Pick<RunRequest, 'filter' | 'includeSucceeded' | 'includeDiscarded' | 'target'>;

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
    /** Whether it edits its events by a patch. */
    readonly edited: boolean;
    /** The position up to which its events are edited. */
    readonly editedTo: number;
    readonly idempotencyKey: string | null;
    /** The JSON text of the request. */
    readonly patch: string | null;
    readonly excluded: Readonly<Record<string, number>>;
    readonly selectionHash: string;
    readonly pausedBecause: string | null;
    readonly stageBeganAt: Date;
    /** When the last event was settled. */
    readonly progressedAt: Date | null;
  };

export const findRun = statement<{ runId: string }, Run>('find-run', import.meta.url);
