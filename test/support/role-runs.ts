import type { ApiDeps, SentRequest } from '../../functions/replay/api/operation.ts';
import {
  cancelRunOperation,
  createRunOperation,
  listRunEventsOperation,
  listRunsOperation,
  pauseRunOperation,
  resumeRunOperation,
  showRunOperation,
} from '../../functions/replay/run-operations.ts';
import type { DeliveryDeps } from '../../shared/delivery/delivery-deps.ts';
import { statuses } from '../../shared/message/event.ts';
import type { TestDatabase } from './database.ts';
import { anEvent } from './factories.ts';
import { aRouteTo } from './routes.ts';
import { aRun, claimAndDie, endLeases } from './runs.ts';

/**
 * Replays that have everything to do for whoever goes on with them: a patch, a lost worker, a target that is
 * gone, a canary.
 */
export async function prepareRuns(database: TestDatabase, deps: Omit<DeliveryDeps, 'db'>): Promise<void> {
  const ids = [await anEvent(database), await anEvent(database), await anEvent(database)];
  const misfit = await anEvent(database, { payload: '1', body: '1' });
  const gone = aRouteTo('http://gone/', { match: { eventType: 'gone' } });
  const everywhere = { db: database.db, routes: [...deps.routes, gone] };
  await aRun(everywhere, { filter: { ids: [ids[0], misfit] }, patch: [{ op: 'add', path: '/a', value: 1 }] });
  await claimAndDie(database, await aRun(everywhere, { filter: { ids: [ids[1]] } }));
  await aRun(everywhere, { filter: { ids: [ids[2]] }, target: 'http://gone/' });
  const snoozed = { retry_after: new Date(Date.now() + 86_400_000) };
  const canaries = [await anEvent(database, snoozed), await anEvent(database, snoozed)];
  await aRun(everywhere, { filter: { ids: canaries }, pace: 'careful' });
  await endLeases(database);
}

type Ask = Omit<SentRequest, 'body' | 'text' | 'params'>;

/** Everything that people do to runs by the API. */
export async function useRuns(deps: ApiDeps, ask: Ask, eventId: string): Promise<void> {
  const body = {
    filter: { ids: [eventId], status: statuses },
    reason: 'a test',
    ratePerSecond: 100,
    edit: { body: '{}' },
  };
  const wanted = { ...ask, params: {}, text: JSON.stringify(body), body };
  await createRunOperation.handle(deps, { ...wanted, text: JSON.stringify({ ...body, dryRun: true }) });
  const created = await createRunOperation.handle(deps, wanted);
  const { id = '' } = created && 'body' in created ? (created.body as { id: string }) : {};
  const of = { ...ask, params: { id, event: eventId }, text: '', body: {} };
  for (const change of [pauseRunOperation, resumeRunOperation]) await change.handle(deps, of);
  for (const operation of [listRunsOperation, showRunOperation, listRunEventsOperation]) {
    await operation.handle(deps, of);
  }
  const create = async (more: object) => {
    // The latest edit: a replay leaves the events out that it replaced.
    const { rows } = await deps.db.query<{ id: string }>({ text: 'select max(id) as id from dlq_events' });
    const filter = { ...body.filter, ids: rows.map(({ id }) => id) };
    const other = { ...body, filter, edit: undefined, ...more };
    const made = await createRunOperation.handle(deps, {
      ...wanted,
      body: other,
      text: JSON.stringify(other),
    });
    return made && 'body' in made ? (made.body as { id: string }).id : '';
  };
  // One that does not fit its event, and one that does.
  for (const op of ['replace', 'add']) {
    const patch = [{ op, path: '/new', value: 1 }];
    await create({ patch });
  }
  const last = await create({});
  await cancelRunOperation.handle(deps, { ...of, params: { id: last }, body: { reason: 'a test' } });
}
