import * as v from 'valibot';
import { described, object, text, textOrNull, time, timeOrNull } from '../events/response-values.ts';
import { type Progress, ProgressSchema, type Run } from './run.ts';

/** A run in a list. */
export const RunSchema = v.strictObject({
  id: text,
  state: v.picklist(['running', 'paused', 'ended']),
  createdAt: time,
  endedAt: timeOrNull,
  stopped: described(textOrNull, 'Why it ended: `all done`, `cancelled` or `nothing to replay`.'),
  pausedBecause: textOrNull,
  requestedBy: text,
  reason: textOrNull,
  request: described(object, 'The filter of the run, what it includes, and its target.'),
  progress: ProgressSchema,
});

/** The fields of a run in a list. */
export type BriefRun = Progress &
  Pick<
    Run,
    'id' | 'startedAt' | 'endedAt' | 'stopped' | 'requestedBy' | 'reason' | 'request' | 'pausedBecause'
  >;

/** Returns a run as lists show it. */
export function describeRun(run: BriefRun) {
  return {
    id: run.id,
    state: stateOf(run),
    createdAt: run.startedAt,
    endedAt: run.endedAt,
    stopped: run.stopped,
    pausedBecause: run.pausedBecause,
    requestedBy: run.requestedBy,
    reason: run.reason,
    request: run.request,
    progress: {
      selected: run.selected,
      delivered: run.delivered,
      failed: run.failed,
      skipped: run.skipped,
      waiting: run.waiting,
      inFlight: run.inFlight,
    },
  };
}

function stateOf({ endedAt, pausedBecause }: BriefRun): v.InferOutput<typeof RunSchema>['state'] {
  if (endedAt !== null) return 'ended';
  return pausedBecause === null ? 'running' : 'paused';
}
