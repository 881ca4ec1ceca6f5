import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ConflictError, InputError } from '../../../shared/errors.ts';
import { createRun } from '../../../shared/replay/create-run.ts';
import { previewRun } from '../../../shared/replay/preview-run.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun, aRunRequest } from '../../support/runs.ts';

describe('a created run', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const routes = [aRouteTo('http://shop/', { match: { eventType: 'order.*' } })];
  const deps = () => ({ db: database().db, routes, costLimit: 0 });
  const event = (columns = {}) => anEvent(database(), columns);
  const create = (body: Record<string, unknown> = {}) => aRun(deps(), body);
  const selection = async () =>
    (await database().sql<{ id: string }>('select event_id as id from dlq_run_events order by 1')).map(
      ({ id }) => id,
    );

  it('has exactly the events that its filter matches', async () => {
    const wanted = [await event({ error_reason: 'timeout' }), await event({ error_reason: 'a timeout' })];
    await event({ error_reason: 'bad schema' });

    assert.equal((await create({ filter: { errorText: 'timeout' } })).selected, 2);
    assert.deepEqual(await selection(), wanted);
  });

  it('is not created if other events match than at its preview', async () => {
    const [first, second] = [await event(), await event()];
    const preview = () => previewRun(deps(), aRunRequest({ dryRun: true }));
    const { selection: previewed } = await preview();
    await database().sql(`update dlq_events set status = 'DISCARDED', processed_at = now() where id = $1`, [
      second,
    ]);

    await assert.rejects(create({ selection: previewed }), {
      code: 'SELECTION_CHANGED',
      message: /had 2 events/,
    });
    await event();
    await assert.rejects(create({ selection: previewed }), { code: 'SELECTION_CHANGED' });
    assert.deepEqual(await database().sql('select from dlq_runs'), []);
    const { selection: again } = await preview();
    assert.equal((await create({ selection: again })).selected, 2);
    assert.equal((await selection())[0], first);
  });

  it('excludes events that cannot be replayed, and counts them by reason', async () => {
    const lease = { lease_token: '00000000-0000-4000-8000-000000000000', lease_expires_at: '2100-01-01' };
    await event({ status: 'PROCESSING', ...lease });
    await event({ status: 'SUCCEEDED' });
    await event({ status: 'DISCARDED' });
    await event({ event_type: 'invoice.created' });
    const run = await create();

    assert.deepEqual(run.excluded, { leased: 1, delivered: 1, discarded: 1, 'no-route': 1 });
    assert.deepEqual([run.selected, run.stopped], [0, 'nothing to replay']);
  });

  it('includes delivered or discarded events if its filter names their status', async () => {
    await event({ status: 'SUCCEEDED' });
    await event({ status: 'DISCARDED' });
    assert.equal((await create({ filter: { status: ['SUCCEEDED', 'DISCARDED'] } })).selected, 2);
  });

  it('of thousands of discarded events costs what reading them costs', async () => {
    await manyEvents(database(), 3000);
    await database().sql(`update dlq_events set status = 'DISCARDED'`);
    await database().sql('analyze dlq_events');
    const request = aRunRequest({ dryRun: true, filter: { status: ['DISCARDED'] } });
    const preview = await previewRun({ ...deps(), costLimit: 3000 }, request);
    assert.equal(preview.selected, 3000);
  });

  it('is in the audit, with actor and reason', async () => {
    await event();
    const { id } = await create({ reason: 'payments are back' });
    const audit = await database().sql('select actor, action, reason, run_id, details from dlq_audit');
    const entry = { actor: 'ada', action: 'create run', reason: 'payments are back' };
    assert.deepEqual(audit, [{ ...entry, run_id: id, details: { selected: 1 } }]);
  });

  it('is created once by ten concurrent requests with the same key', async () => {
    await manyEvents(database(), 500);
    const request = aRunRequest({ key: 'after the outage' });
    const created = await Promise.all(Array.from({ length: 10 }, () => createRun(deps(), request, 'ada')));

    assert.equal(new Set(created.map(({ run }) => run.id)).size, 1);
    assert.equal(created.filter(({ isNew }) => isNew).length, 1);
    assert.equal((await selection()).length, 500);
  });

  it('is not created again for the same key with another request', async () => {
    await event();
    await create({ key: 'k' });
    const other = create({ key: 'k', filter: { status: 'SUCCEEDED' } });
    await assert.rejects(
      other,
      (error) => error instanceof ConflictError && /belongs to run \d+/.test(error.message),
    );
  });

  it('accepts another target only if a route has it', async () => {
    await event({ event_type: 'invoice.created' });
    assert.equal((await create({ target: 'http://shop/' })).selected, 1);
    const free = create({ target: 'http://elsewhere/' });
    await assert.rejects(
      free,
      (error) => error instanceof InputError && /http:\/\/shop\//.test(error.message),
    );
  });

  it('is rejected if an edit turns JSON into something else', async () => {
    const edited = create({ filter: { ids: [await event()] }, edit: { body: '{"orderId": ' } });
    await assert.rejects(
      edited,
      (error) => error instanceof InputError && /Must be valid JSON/.test(error.message),
    );
  });
});
