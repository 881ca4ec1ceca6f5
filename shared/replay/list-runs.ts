import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { maxBigint } from '../events/event-id.ts';
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

type BriefRun = Progress &
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

const listAll = statement<{ before: string; limit: number }, BriefRun>('list-runs', import.meta.url);
const listOpen = statement<{ limit: number }, BriefRun>('list-open-runs', import.meta.url);

/** Lists replays, newest first, optionally only those older than a run. */
export async function listRuns(
  db: Database,
  { before = maxBigint, limit }: { readonly before?: string | undefined; readonly limit: number },
): Promise<ReturnType<typeof describeRun>[]> {
  return (await listAll(db, { before, limit })).map(describeRun);
}

/** The newest replays that are running or paused. */
export async function listOpenRuns(
  db: Database,
  params: { readonly limit: number },
): Promise<ReturnType<typeof describeRun>[]> {
  return (await listOpen(db, params)).map(describeRun);
}
