import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { maxBigint } from '../events/event-id.ts';
import { described, object, text, textOrNull, time, timeOrNull } from '../events/response-values.ts';
import { type Progress, ProgressSchema, type Run } from './run.ts';
import { isScheduled } from './run-times.ts';

/** A run in a list. */
export const RunSchema = v.strictObject({
  id: text,
  state: described(
    v.picklist(['scheduled', 'running', 'paused', 'ended']),
    'scheduled: before its `startAt`.',
  ),
  createdAt: time,
  endedAt: timeOrNull,
  stopped: described(
    textOrNull,
    'Why it ended: `all done`, `cancelled`, `time over` or `nothing to replay`.',
  ),
  pausedBecause: textOrNull,
  requestedBy: text,
  reason: textOrNull,
  request: described(object, 'The filter of the run, what it includes, and its target.'),
  edited: described(v.boolean(), 'Whether it edits its events by a patch.'),
  progress: ProgressSchema,
});

type BriefRun = Progress &
  Pick<
    Run,
    | 'id'
    | 'startedAt'
    | 'endedAt'
    | 'stopped'
    | 'requestedBy'
    | 'reason'
    | 'request'
    | 'edited'
    | 'rollout'
    | 'pausedBecause'
  >;

export type ListedRun = ReturnType<typeof describeRun>;

/** Returns a run as lists show it. */
export function describeRun(run: BriefRun) {
  const { id, startedAt: createdAt, endedAt, stopped, pausedBecause, requestedBy, reason, request } = run;
  const { edited, selected, delivered, failed, skipped, waiting, inFlight } = run;
  const progress = { selected, delivered, failed, skipped, waiting, inFlight };
  const state = stateOf(run);
  const told = { requestedBy, reason, request, edited, progress };
  return { id, state, createdAt, endedAt, stopped, pausedBecause, ...told };
}

function stateOf(run: BriefRun): v.InferOutput<typeof RunSchema>['state'] {
  const { endedAt, pausedBecause } = run;
  if (endedAt !== null) return 'ended';
  if (pausedBecause === null && isScheduled(run, new Date())) return 'scheduled';
  return pausedBecause === null ? 'running' : 'paused';
}

const listAll = statement<{ before: string; limit: number }, BriefRun>('list-runs', import.meta.url);
const listOpen = statement<{ limit: number }, BriefRun>('list-open-runs', import.meta.url);

/** Lists replays, newest first, optionally only those older than a run. */
export async function listRuns(
  db: Database,
  { before = maxBigint, limit }: { readonly before?: string | undefined; readonly limit: number },
): Promise<ListedRun[]> {
  return (await listAll(db, { before, limit })).map(describeRun);
}

/** The newest replays that are running or paused. */
export async function listOpenRuns(db: Database, params: { readonly limit: number }): Promise<ListedRun[]> {
  return (await listOpen(db, params)).map(describeRun);
}
