import type { Progress, Run } from './run.ts';

/** What a list needs of each run. */
export type BriefRun = Progress &
  Pick<
    Run,
    'id' | 'started_at' | 'ended_at' | 'stopped' | 'requested_by' | 'reason' | 'request' | 'paused_because'
  >;

export type RunState = 'running' | 'paused' | 'ended';

export function stateOf({ ended_at, paused_because }: Pick<Run, 'ended_at' | 'paused_because'>): RunState {
  if (ended_at !== null) return 'ended';
  return paused_because === null ? 'running' : 'paused';
}

/** A run as a list shows it. */
export function describeRun(run: BriefRun) {
  return {
    id: run.id,
    state: stateOf(run),
    createdAt: run.started_at,
    endedAt: run.ended_at,
    stopped: run.stopped,
    pausedBecause: run.paused_because,
    requestedBy: run.requested_by,
    reason: run.reason,
    request: run.request,
    progress: {
      selected: run.selected,
      delivered: run.delivered,
      failed: run.failed,
      skipped: run.skipped,
      waiting: run.waiting,
      inFlight: run.in_flight,
    },
  };
}
