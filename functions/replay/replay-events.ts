import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import { findEvents, type Status } from '../../shared/events.ts';
import { findRoute } from '../../shared/routes.ts';
import { getRun } from './runs/change-run.ts';
import { createRun } from './runs/create-run.ts';
import { listRunEvents, type RunEventView } from './runs/list-run-events.ts';
import type { Progress } from './runs/run.ts';
import { obstacles } from './runs/skip-reasons.ts';
import { workOnReplay } from './runs/work-on-replay.ts';

export type ReplayRequest = { readonly ids: readonly string[]; readonly includeSucceeded: boolean };

/** What came of one requested event. `status` is where it stands now, absent if there is no such event. */
export type Replayed = {
  readonly id: string;
  readonly result: 'delivered' | 'failed' | 'skipped';
  readonly status?: Status;
  readonly reason?: string;
};

export type Replay = {
  readonly runId: string;
  readonly progress: Progress;
  readonly events: readonly Replayed[];
};

/**
 * Delivers the named events now, whatever their state, and says of each one what came of it, in the order asked. It is a
 * run like any other, but that its caller waits for it.
 */
export async function replayEvents(
  deps: DeliveryDeps,
  { ids, includeSucceeded }: ReplayRequest,
  actor: string,
): Promise<Replay> {
  const { db, retry } = deps;
  const skipped = await findObstacles(deps, { ids, includeSucceeded });
  const choice = { filter: { ids }, includeSucceeded, includeDiscarded: true };
  const { run } = await createRun({ ...deps, costLimit: 0 }, { ...choice, ...plainly }, actor);
  await workOnReplay(deps, run.id, Date.now() + retry.tickBudgetSeconds * 1000);
  const events = await listRunEvents(db, { runId: run.id, limit: ids.length });
  const results = new Map([...skipped, ...events.map(describe)].map((each) => [each.id, each]));
  const { selected, delivered, failed, skipped: left, waiting, in_flight } = await getRun(db, run.id);
  const unknown = (id: string): Replayed => ({ id, result: 'skipped', reason: 'It changed meanwhile.' });
  return {
    runId: run.id,
    progress: { selected, delivered, failed, skipped: left, waiting, in_flight },
    events: ids.map((id) => results.get(id) ?? unknown(id)),
  };
}

const plainly = { pace: { gate: false }, watchSeconds: 86_400, dryRun: false, samples: 0, hash: '' } as const;

/** The events that will not be selected, each with its reason. */
async function findObstacles({ db, routes }: DeliveryDeps, request: ReplayRequest): Promise<Replayed[]> {
  const found = new Map((await findEvents(db, { ids: request.ids })).map((event) => [event.id, event]));
  return request.ids.flatMap((id): Replayed[] => {
    const event = found.get(id);
    if (!event) return [{ id, result: 'skipped', reason: 'There is no such event.' }];
    const skip = (reason: string): Replayed[] => [{ id, result: 'skipped', status: event.status, reason }];
    if (event.is_leased) return skip(obstacles.leased);
    if (event.status === 'SUCCEEDED' && !request.includeSucceeded) return skip(obstacles.delivered);
    return findRoute(routes, event) ? [] : skip(obstacles['no-route']);
  });
}

function describe({ id, outcome, status, reason, explanation }: RunEventView): Replayed {
  const where = status === null ? {} : { status };
  if (outcome === 'delivered') return { id, result: 'delivered', ...where };
  if (outcome === 'failed') return { id, result: 'failed', ...where, reason: `${reason}: ${explanation}` };
  return { id, result: 'skipped', ...where, reason: explanation ?? 'There was no time left for it.' };
}
