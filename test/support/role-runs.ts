import type { ApiRequest } from '../../functions/replay/api/resource.ts';
import type { ReplayDeps } from '../../functions/replay/replay-deps.ts';
import { changeResource } from '../../functions/replay/runs/api/change-resource.ts';
import { runEventResource } from '../../functions/replay/runs/api/run-event-resource.ts';
import { runEventsResource } from '../../functions/replay/runs/api/run-events-resource.ts';
import { runResource } from '../../functions/replay/runs/api/run-resource.ts';
import { runsResource } from '../../functions/replay/runs/api/runs-resource.ts';
import { workResource } from '../../functions/replay/runs/api/work-resource.ts';
import type { DeliveryDeps } from '../../shared/deliver-batch.ts';
import type { TestDatabase } from './database.ts';
import { anEvent } from './factories.ts';
import { aRouteTo } from './routes.ts';
import { aRun, claimAndDie, endLeases } from './runs.ts';

/** Replays that have everything to do for whoever goes on with them: an edit, a lost worker, a target that is gone. */
export async function prepareRuns(database: TestDatabase, deps: Omit<DeliveryDeps, 'db'>): Promise<void> {
  const ids = [await anEvent(database), await anEvent(database), await anEvent(database)];
  const gone = aRouteTo('http://gone/', { match: { eventType: 'gone' } });
  const everywhere = { db: database.db, routes: [...deps.routes, gone] };
  await aRun(everywhere, { filter: { ids: [ids[0]] }, edit: { headers: { a: '1' } } });
  await claimAndDie(database, await aRun(everywhere, { filter: { ids: [ids[1]] } }));
  await aRun(everywhere, { filter: { ids: [ids[2]] }, target: 'http://gone/' });
  await endLeases(database);
}

type Ask = Omit<ApiRequest, 'body' | 'text' | 'params'>;

/** Everything that people do to runs by the API. */
export async function useRuns(deps: ReplayDeps, ask: Ask, eventId: string): Promise<void> {
  const body = {
    filter: { ids: [eventId] },
    reason: 'a test',
    includeSucceeded: true,
    includeDiscarded: true,
    ratePerSecond: 100,
    edit: { body: '{}' },
    idempotencyKey: 'role',
  };
  const runs = runsResource(deps);
  const wanted = { ...ask, params: {}, text: JSON.stringify(body), body };
  await runs.post?.handle({ ...wanted, body: { ...body, dryRun: true } });
  const created = await runs.post?.handle(wanted);
  const { id = '' } = created && 'body' in created ? (created.body as { id: string }) : {};
  const of = { ...ask, params: { id, event: eventId }, text: '', body: {} };
  for (const change of ['pause', 'resume'] as const) await changeResource(deps, change).post?.handle(of);
  await workResource(deps).post?.handle(of);
  for (const resource of [runs, runResource(deps), runEventsResource(deps), runEventResource(deps)]) {
    await resource.get?.handle(of);
  }
  const other = { ...body, idempotencyKey: 'other' };
  const again = await runs.post?.handle({ ...wanted, body: other, text: JSON.stringify(other) });
  const { id: last = '' } = again && 'body' in again ? (again.body as { id: string }) : {};
  await changeResource(deps, 'cancel').post?.handle({ ...of, params: { id: last } });
}
