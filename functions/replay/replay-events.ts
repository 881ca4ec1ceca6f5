import { type DeliveryDeps, deliverBatch, openLease } from '../../shared/deliver-batch.ts';
import { claimEventsById, findEvents, type LeasedEvent, type Status } from '../../shared/events.ts';
import { findRoute } from '../../shared/routes.ts';
import { closeRun, openRun } from '../../shared/runs.ts';
import { type Settled, settleBatch } from '../../shared/settle-batch.ts';
import { addSettled, emptyTally, type Tallies, type Tally } from '../../shared/tally.ts';

export type ReplayRequest = { readonly ids: readonly string[]; readonly includeSucceeded: boolean };

/** What came of one requested event. `status` is where it stands now, absent if there is no such event. */
export type Replayed = {
  readonly id: string;
  readonly result: 'delivered' | 'failed' | 'skipped';
  readonly status?: Status;
  readonly reason?: string;
};

export type Replay = { readonly runId: string; readonly tally: Tally; readonly events: readonly Replayed[] };

/** Delivers the named events now, whatever their state, and says of each one what came of it, in the order asked. */
export async function replayEvents(deps: DeliveryDeps, request: ReplayRequest): Promise<Replay> {
  const [run] = await openRun(deps.db, { trigger: 'replay' });
  if (!run) throw new Error('A run was not opened.');
  const tallies: Tallies = { all: emptyTally(), targets: {} };
  const skipped = await findObstacles(deps, request);
  const results = new Map(skipped.map((each) => [each.id, each]));
  const wanted = request.ids.filter((id) => !results.has(id));
  for (let i = 0; i < wanted.length; i += deps.retry.batchSize) {
    const ids = wanted.slice(i, i + deps.retry.batchSize);
    const delivered = await replayBatch(deps, run.id, { ids, includeSucceeded: request.includeSucceeded });
    addSettled(tallies, delivered);
    for (const each of delivered) results.set(each.event.id, describe(each));
  }
  const { all: tally, targets } = tallies;
  await closeRun(deps.db, {
    id: run.id,
    stopped: 'all done',
    tally: JSON.stringify(tally),
    targets: JSON.stringify(targets),
  });
  const changed = (id: string): Replayed => ({
    id,
    result: 'skipped',
    reason: 'Another worker took it meanwhile.',
  });
  return { runId: run.id, tally, events: request.ids.map((id) => results.get(id) ?? changed(id)) };
}

async function replayBatch(
  { db, routes, retry }: DeliveryDeps,
  runId: string,
  request: ReplayRequest,
): Promise<Settled[]> {
  const lease = openLease(retry.leaseSeconds);
  const claim = { ...request, leaseToken: lease.token, leaseSeconds: retry.leaseSeconds };
  const events: LeasedEvent[] = await claimEventsById(db, claim);
  // What a person asks for is tried, whatever the target's health.
  const batch = { db, routes, retry, runId, lease, sparesTargets: false };
  return settleBatch(batch, await deliverBatch(batch, events));
}

/** The events that are not to be touched, each with its reason. */
async function findObstacles({ db, routes }: DeliveryDeps, request: ReplayRequest): Promise<Replayed[]> {
  const found = new Map((await findEvents(db, { ids: request.ids })).map((event) => [event.id, event]));
  return request.ids.flatMap((id): Replayed[] => {
    const event = found.get(id);
    if (!event) return [{ id, result: 'skipped', reason: 'There is no such event.' }];
    const skip = (reason: string): Replayed[] => [{ id, result: 'skipped', status: event.status, reason }];
    if (event.is_leased) return skip('It is being delivered right now.');
    if (event.status === 'SUCCEEDED' && !request.includeSucceeded) {
      return skip('It was delivered already: set "includeSucceeded" to deliver it once more.');
    }
    if (!findRoute(routes, event)) return skip('No route matches it: configure one.');
    return [];
  });
}

function describe({ event: { id }, settlement, isSettled }: Settled): Replayed {
  if (!isSettled) return { id, result: 'skipped', reason: 'Its lease was lost; another worker has it.' };
  const { outcome, status, error } = settlement;
  if (outcome === 'delivered') return { id, result: 'delivered', status };
  if (outcome === null) return { id, result: 'skipped', status, reason: 'There was no time left for it.' };
  return { id, result: 'failed', status, reason: `${outcome}: ${error}` };
}
