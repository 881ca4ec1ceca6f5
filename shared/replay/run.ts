import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Cause } from '../delivery/cause.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import { maxBigint } from '../events/event-id.ts';
import { maskFilter } from '../events/masking/mask-request.ts';
import { listMasks, type MaskRules } from '../events/masking/mask-rules.ts';
import { log } from '../log.ts';
import type { Origin } from '../message/event.ts';
import { count, described, object, text, textOrNull, time, timeOrNull } from '../response-values.ts';
import type { RolloutState } from './rollout.ts';
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

/** The part of a request that its run stores. */
type KeptRequest = Pick<RunRequest, 'filter' | 'target'>;

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
  request: described(object, 'The filter of the run, and its target.'),
  edited: described(v.boolean(), 'Whether it edits its events by a patch.'),
  progress: ProgressSchema,
});

/** The row of a replay in a list. */
export type BriefRun = Progress &
  Omit<v.InferOutput<typeof RunSchema>, 'request' | 'progress'> & { readonly request: KeptRequest };

/** The row of a replay. */
export type Run = BriefRun &
  RolloutState & {
    /** The position up to which its events are edited. */
    readonly editedTo: number;
    readonly idempotencyKey: string | null;
    /** The JSON text of the request. */
    readonly patch: string | null;
    readonly excluded: Readonly<Record<string, number>>;
    readonly stageBeganAt: Date;
    /** When the last event was settled. */
    readonly progressedAt: Date | null;
    /** The time at which it is to end has come. */
    readonly isOver: boolean;
  };

/** The columns of a BriefRun, as SQL. */
export const runColumns = `id, started_at as created_at, ended_at, stopped, requested_by, reason, request,
  patch is not null as edited, selected, delivered, failed, skipped, waiting, in_flight, paused_because,
  case when ended_at is not null then 'ended' when paused_because is not null then 'paused'
    when (rollout ->> 'startAt')::timestamptz > now() then 'scheduled' else 'running' end as state`;

export const findRun = statement<{ runId: string }, Run>('find-run', { runColumns });

export type FailedEvent = Origin & { readonly cause: Cause | null };

/** A waiting event of a run; `whyNot`: why it cannot go, as a code. */
export type WaitingEvent = FailedEvent & {
  readonly id: string;
  /** Counted from 1. */
  readonly position: number;
  readonly whyNot: string | null;
  /** If routes are ordered: its key and consumer. */
  readonly key: string | null;
  readonly blockedBy: string | null;
  readonly isBlockerWaiting: boolean;
};

export const pickRun = statement<
  { runId: string; after: number; max: number; hasOrdered: boolean },
  WaitingEvent
>('pick-run');

/** A change of a run by an operator. */
type RunAction = { readonly runId: string; readonly actor: string; readonly reason: string | null };

export const changes = ['pause', 'resume', 'cancel'] as const;

export type Change = (typeof changes)[number];

/** Returns no row for a run that is in that state already, or has ended. */
const update = statement<
  RunAction & { readonly change: Change; readonly because: string | null },
  { readonly id: string }
>('change-run');

/**
 * Pauses, resumes or cancels a run from the workers' next claim on. Does nothing if the run is in that state
 * already. Throws NotFoundError, and ConflictError if the run has ended in another way.
 */
export async function changeRun(db: Database, change: Change, action: RunAction): Promise<Run> {
  const { actor, reason } = action;
  const because = change === 'pause' ? `By ${actor}${reason ? `: ${reason}` : '.'}` : null;
  const [changed] = await update(db, { ...action, change, because });
  if (changed) log('INFO', `replay changed: ${change}`, { action: `${change}-run`, runId: action.runId });
  const run = await getRun(db, action.runId);
  const isInEffect = change === 'cancel' ? run.stopped === 'cancelled' : run.endedAt === null;
  if (changed || isInEffect) return run;
  throw new ConflictError(`Run ${run.id} has ended (${run.stopped}): there is nothing left to ${change}.`);
}

/** Returns a run. Throws NotFoundError. */
export async function getRun(db: Database, runId: string): Promise<Run> {
  const [run] = await findRun(db, { runId });
  if (run) return run;
  throw new NotFoundError(`There is no run ${runId}.`);
}

/**
 * Finds the route of an event in a run: that of the run, if it names a target. Undefined if none is
 * configured here.
 */
export function routeIn(
  routes: readonly Route[],
  { target }: Pick<KeptRequest, 'target'>,
  origin: Origin,
): Route | undefined {
  return target === undefined ? findRoute(routes, origin) : findRouteTo(routes, target);
}

/** Returns the first route to a target, by the name that attempts record. */
export function findRouteTo(routes: readonly Route[], name: string): Route | undefined {
  return routes.find(({ target }) => nameTarget(target) === name);
}

export type ListedRun = ReturnType<typeof describeRun>;

/** Returns a run as lists show it, with the values hidden that its filter compares at masked `paths`. */
export function describeRun(run: BriefRun, paths: readonly string[] = []) {
  const { id, state, createdAt, endedAt, stopped, pausedBecause, requestedBy, reason, request } = run;
  const { edited, selected, delivered, failed, skipped, waiting, inFlight } = run;
  const progress = { selected, delivered, failed, skipped, waiting, inFlight };
  const shown = { ...request, filter: maskFilter(request.filter, paths) };
  const told = { requestedBy, reason, request: shown, edited, progress };
  return { id, state, createdAt, endedAt, stopped, pausedBecause, ...told };
}

const listAll = statement<{ before: string; limit: number }, BriefRun>('list-runs', { runColumns });
const listOpen = statement<{ limit: number }, BriefRun>('list-open-runs', { runColumns });

/** The permanently failed events that wait in open replays, by error group: of up to `max` waiting events. */
export const countReplayed = statement<
  { max: number },
  { readonly fingerprint: string | null; readonly events: number }
>('count-replayed');

type Deps = { readonly db: Database } & MaskRules;

type Page = { readonly before?: string | undefined; readonly limit: number; readonly isOpen?: boolean };

/** Lists replays, newest first, only those older than a run, or the first that are running or paused. */
export async function listRuns({ db, ...rules }: Deps, page: Page): Promise<ListedRun[]> {
  const { before = maxBigint, limit, isOpen } = page;
  const runs = isOpen ? await listOpen(db, { limit }) : await listAll(db, { before, limit });
  const paths = listMasks(rules);
  return runs.map((run) => describeRun(run, paths));
}
