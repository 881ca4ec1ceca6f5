import * as v from 'valibot';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { findRoute } from '../delivery/routes.ts';
import { findEvents } from '../events/find-events.ts';
import { Status } from '../message/event.ts';
import { listOf, text } from '../response-values.ts';
import { getRun } from './change-run.ts';
import { createRun } from './create-run.ts';
import { listRunEvents, type RunEventView } from './list-run-events.ts';
import { describeRun } from './list-runs.ts';
import { ProgressSchema } from './run.ts';
import { exclusions } from './skip-reasons.ts';
import { workOnReplay } from './work-on-replay.ts';

export type ReplayRequest = { readonly ids: readonly string[]; readonly includeSucceeded: boolean };

const ReplayedSchema = v.strictObject({
  id: text,
  result: v.picklist(['delivered', 'failed', 'skipped']),
  status: v.exactOptional(Status),
  reason: v.exactOptional(text),
});

/** The result for each requested event. `status` is its present status, absent if no such event exists. */
export const ReplaySchema = v.strictObject({
  runId: text,
  progress: ProgressSchema,
  events: listOf(ReplayedSchema),
});

type Replayed = v.InferOutput<typeof ReplayedSchema>;
export type Replay = v.InferOutput<typeof ReplaySchema>;

/**
 * Delivers the named events now, whatever their state. Returns a result for each one, in the requested order.
 * It creates an ordinary run, but works on it until it ends or the time of a tick is spent.
 */
export async function replayEvents(
  deps: DeliveryDeps,
  { ids, includeSucceeded }: ReplayRequest,
  actor: string,
): Promise<Replay> {
  const { db, retry } = deps;
  const skipped = await findExclusions(deps, { ids, includeSucceeded });
  const selection = { filter: { ids }, includeSucceeded, includeDiscarded: true };
  const { run } = await createRun({ ...deps, costLimit: 0 }, { ...selection, ...defaults }, actor);
  await workOnReplay(deps, run.id, { endsAt: Date.now() + retry.tickBudgetSeconds * 1000 });
  const events = await listRunEvents(deps, { runId: run.id, limit: ids.length });
  const results = new Map([...skipped, ...events.map(describe)].map((each) => [each.id, each]));
  const { progress } = describeRun(await getRun(db, run.id));
  const changed = { result: 'skipped', reason: 'It changed before it was selected.' } as const;
  return {
    runId: run.id,
    progress,
    events: ids.map((id) => results.get(id) ?? { id, ...changed }),
  };
}

const defaults = {
  rollout: { gate: false },
  dryRun: false,
  samples: 0,
  hash: '',
} as const;

/** Finds the events that will not be selected, each with its reason. */
async function findExclusions({ db, routes }: DeliveryDeps, request: ReplayRequest): Promise<Replayed[]> {
  const found = new Map((await findEvents(db, { ids: request.ids })).map((event) => [event.id, event]));
  return request.ids.flatMap((id): Replayed[] => {
    const event = found.get(id);
    if (!event) return [{ id, result: 'skipped', reason: 'No such event exists.' }];
    const skip = (reason: string): Replayed[] => [{ id, result: 'skipped', status: event.status, reason }];
    if (event.isLeased) return skip(exclusions.leased);
    if (event.status === 'SUCCEEDED' && !request.includeSucceeded) return skip(exclusions.delivered);
    return findRoute(routes, event) ? [] : skip(exclusions['no-route']);
  });
}

function describe({ id, outcome, status, reason, explanation }: RunEventView): Replayed {
  const known = { id, ...(status !== null && { status }) };
  if (outcome === 'delivered') return { ...known, result: 'delivered' };
  if (outcome === 'failed') return { ...known, result: 'failed', reason: `${reason}: ${explanation}` };
  const skipped = explanation ?? 'The time budget was spent before its turn.';
  return { ...known, result: 'skipped', reason: skipped };
}
