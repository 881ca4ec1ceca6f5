import type { Progress, Run } from './run.ts';

/** The fields of a run in a list. */
export type BriefRun = Progress &
  Pick<
    Run,
    'id' | 'startedAt' | 'endedAt' | 'stopped' | 'requestedBy' | 'reason' | 'request' | 'pausedBecause'
  >;

export type RunState = 'running' | 'paused' | 'ended';

export function stateOf({ endedAt, pausedBecause }: Pick<Run, 'endedAt' | 'pausedBecause'>): RunState {
  if (endedAt !== null) return 'ended';
  return pausedBecause === null ? 'running' : 'paused';
}

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
