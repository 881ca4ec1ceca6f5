import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { maxBigint } from '../events/event-id.ts';
import { maskFilter } from '../events/masking/mask-request.ts';
import { listMasks, type MaskRules } from '../events/masking/mask-rules.ts';
import { described, object, text, textOrNull, time, timeOrNull } from '../response-values.ts';
import { type BriefRun, isScheduled, ProgressSchema } from './run.ts';

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

export type ListedRun = ReturnType<typeof describeRun>;

/** Returns a run as lists show it, with the values hidden that its filter compares at masked `paths`. */
export function describeRun(run: BriefRun, paths: readonly string[] = []) {
  const { id, startedAt: createdAt, endedAt, stopped, pausedBecause, requestedBy, reason, request } = run;
  const { edited, selected, delivered, failed, skipped, waiting, inFlight } = run;
  const progress = { selected, delivered, failed, skipped, waiting, inFlight };
  const state = stateOf(run);
  const shown = { ...request, filter: maskFilter(request.filter, paths) };
  const told = { requestedBy, reason, request: shown, edited, progress };
  return { id, state, createdAt, endedAt, stopped, pausedBecause, ...told };
}

function stateOf(run: BriefRun): v.InferOutput<typeof RunSchema>['state'] {
  const { endedAt, pausedBecause } = run;
  if (endedAt !== null) return 'ended';
  if (pausedBecause === null && isScheduled(run, new Date())) return 'scheduled';
  return pausedBecause === null ? 'running' : 'paused';
}

const listAll = statement<{ before: string; limit: number }, BriefRun>('list-runs');
const listOpen = statement<{ limit: number }, BriefRun>('list-open-runs');

type Deps = { readonly db: Database } & MaskRules;

/** Lists replays, newest first, optionally only those older than a run. */
export async function listRuns(
  { db, ...rules }: Deps,
  { before = maxBigint, limit }: { readonly before?: string | undefined; readonly limit: number },
): Promise<ListedRun[]> {
  const paths = listMasks(rules);
  return (await listAll(db, { before, limit })).map((run) => describeRun(run, paths));
}

/** The newest replays that are running or paused. */
export async function listOpenRuns(
  { db, ...rules }: Deps,
  params: { readonly limit: number },
): Promise<ListedRun[]> {
  const paths = listMasks(rules);
  return (await listOpen(db, params)).map((run) => describeRun(run, paths));
}
