import * as v from 'valibot';
import type { Database } from '../database/database.ts';
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

const endRun = statement<{ runId: string; stopped: string }, never>('end-run', import.meta.url);

/** Whether the time at which a run starts has not come. */
export function isScheduled(
  { endedAt, rollout: { startAt } }: Pick<Run, 'endedAt' | 'rollout'>,
  now: Date,
): boolean {
  return endedAt === null && startAt !== undefined && Date.parse(startAt) > now.getTime();
}

/** Why a run delivers nothing at this time, if so; ends one whose time is over. */
export async function stopByTime(db: Database, run: Run): Promise<'not yet' | 'ended' | undefined> {
  const now = new Date();
  const { notAfter } = run.rollout;
  if (notAfter !== undefined && Date.parse(notAfter) <= now.getTime()) {
    await endRun(db, { runId: run.id, stopped: 'time over' });
    return 'ended';
  }
  return isScheduled(run, now) ? 'not yet' : undefined;
}
