import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Database } from '../../../../shared/database/database.ts';
import { ConflictError, NotFoundError } from '../../../../shared/errors.ts';
import { discard, actions as eventActions, reopen } from '../../../../shared/events/actions/actions.ts';
import type { EventAction } from '../../../../shared/events/actions/define-action.ts';
import { runAction } from '../../../../shared/events/actions/run-action.ts';
import { statuses } from '../../../../shared/message/event.ts';
import { changeRun } from '../../../../shared/replay/run.ts';
import { workOnReplay } from '../../../../shared/replay/work-on-replay.ts';
import { holdTarget, releaseTarget, undoAction } from '../../../../shared/targets/change-hold.ts';
import { compareDepths, sumHours } from '../../../support/counts.ts';
import { useDatabase } from '../../../support/database.ts';
import { exampleInputs } from '../../../support/example-inputs.ts';
import { anEvent, manyEvents } from '../../../support/factories.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { countPages, countRowsRead } from '../../../support/plans.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';
import { aRun } from '../../../support/runs.ts';

const states = `select to_jsonb(event) - '{updated_at,cause}'::text[] as state from dlq_events as event order by id`;

describe('the undo of an action', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const act = async (action: EventAction, body: object) => {
    const request = { body: { reason: 'a test', ...body }, actor: 'ada', now: new Date() };
    const { auditId } = await runAction({ ...deps(), costLimit: 0 }, action.read(request).action);
    return auditId;
  };
  const undo = (id: string, dryRun = false) =>
    undoAction(deps(), { id, actor: 'ben', reason: 'a mistake', dryRun });
  const all = { filter: { eventType: '*' } };

  /** An event of each kind that an undo could get wrong. */
  const insert = async () => {
    await anEvent(database(), { retry_after: '2030-01-02T03:04:05Z', retry_count: 3, priority: 2 });
    await anEvent(database(), { status: 'FAILED_PERMANENTLY', processed_at: '2026-01-01', retry_count: 9 });
    await anEvent(database(), { status: 'DISCARDED', processed_at: '2026-01-01' });
    await anEvent(database(), { status: 'SUCCEEDED', processed_at: '2026-01-01', delivery_count: 1 });
  };
  const actions: Record<string, () => Promise<string>> = {
    ...Object.fromEntries(
      eventActions.map((action) => [
        action.name,
        () => act(action, { filter: { ...all.filter, status: statuses }, ...exampleInputs(action) }),
      ]),
    ),
    'a patch': async () => {
      const patch = [{ op: 'add', path: '/fixed', value: true }];
      const request = { filter: { ...all.filter, status: statuses }, patch, pace: 'careful' };
      const { id } = await aRun({ ...deps(), routes: [aRouteTo('http://127.0.0.1:1/')] }, request);
      // Edits all of them, and then has no route to send them.
      await workOnReplay({ ...deps(), routes: [] }, id, { endsAt: Date.now() + 60_000 });
      await changeRun(database().db, 'cancel', { runId: id, actor: 'ada', reason: null });
      const [entry] = await database().sql<{ id: string }>(
        `select id from dlq_audit where action = 'create run'`,
      );
      return entry?.id ?? '';
    },
  };

  for (const [name, work] of Object.entries(actions)) {
    it(`of ${name} returns its events to the state and time that they had, once, and counts nothing`, async () => {
      await insert();
      const before = await database().sql(states);
      const id = await work();
      assert.notDeepEqual(await database().sql(states), before);
      const counted = await sumHours(database());
      const { remaining } = await undo(id, true);
      const { changed, auditId } = await undo(id);
      assert.deepEqual([await database().sql(states), changed], [before, remaining]);
      assert.deepEqual(await sumHours(database()), counted);
      const { reported, found } = await compareDepths(database());
      assert.deepEqual(reported, found);
      assert.equal((await undo(id)).changed, 0);
      const recorded = 'select actor, action, reason from dlq_audit where id = $1';
      assert.deepEqual(await database().sql(recorded, [auditId]), [
        { actor: 'ben', action: 'undo', reason: 'a mistake' },
      ]);
    });
  }

  it('moves no event of an earlier discard', async () => {
    const old = await anEvent(database());
    await act(discard, { filter: { ids: [old] } });
    const other = await anEvent(database());
    const id = await act(discard, { filter: { ids: [other] } });
    assert.equal((await undo(id)).changed, 1);
    const rows = await database().sql('select id, status from dlq_events order by id');
    assert.deepEqual(rows, [
      { id: old, status: 'DISCARDED' },
      { id: other, status: 'PENDING' },
    ]);
  });

  it('leaves what was sent, changed, leased or archived since, and says how many', async () => {
    for (let i = 0; i < 5; i++) await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const ids = (await database().sql<{ id: string }>('select id from dlq_events order by id')).map(
      ({ id }) => id,
    );
    const id = await act(reopen, all);
    target().answer = (_, response) => response.writeHead(503).end();
    const run = await aRun(deps(), { filter: { ids: ids.slice(0, 1) } });
    await workOnReplay(deps(), run.id, { endsAt: Date.now() + 60_000 });
    await act(discard, { filter: { ids: [ids[1]] } });
    await database().sql(
      `update dlq_events set status = 'PROCESSING', lease_token = gen_random_uuid(),
         lease_expires_at = now() + interval '1 hour' where id = $1`,
      [ids[2]],
    );
    await database().sql('delete from dlq_events where id = $1', [ids[3]]);
    const kept = { sent: 1, changed: 1, leased: 1, gone: 1 };
    assert.deepEqual(await undo(id, true), { dryRun: true, changed: 0, remaining: 1, kept });
    const { auditId: _, ...done } = await undo(id);
    assert.deepEqual(done, { dryRun: false, changed: 1, remaining: 0, kept });
    assert.deepEqual((await undo(id, true)).kept, { ...kept, undone: 1 });
  });

  it('reads as much for each event of many as for each of a few', async () => {
    await manyEvents(database(), 2000);
    await database().sql('analyze dlq_events');
    const auditId = await act(discard, all);
    const rows = await database().sql<{ id: string }>('select event_id as id from dlq_audit_events');
    const pagesOfEach = async (count: number) => {
      const ids = `{${rows.slice(0, count).map(({ id }) => id)}}`;
      return (await countPages(database(), 'undo-events', { auditId, undoId: '999', ids })) / count;
    };
    const [few, many] = [await pagesOfEach(50), await pagesOfEach(2000)];
    assert.ok(many < 2 * few, `${few} pages for an event of 50, ${many} of 2000`);
  });

  it('that goes on asks for no event that it has returned before', async () => {
    await manyEvents(database(), 10);
    const auditId = await act(discard, all);
    await undo(auditId);
    const db: Database = {
      ...database().db,
      query: (query) => {
        assert.ok(!query.text.includes('dlq_undo_events('), 'It undoes a batch.');
        return database().db.query(query);
      },
    };
    const { kept } = await undoAction(
      { ...deps(), db },
      { id: auditId, actor: 'ben', reason: 'again', dryRun: false },
    );
    assert.deepEqual(kept, { undone: 10 });
  });

  it('right after a large action reads only the rows of its batch, as the action itself does', async () => {
    await manyEvents(database(), 3000, 'a.before');
    await manyEvents(database(), 3000, 'b.after');
    await act(discard, { filter: { eventType: 'a.before' } });
    // The planner knows the action before, and so takes another one for empty.
    await database().sql('analyze dlq_audit_events');
    const auditId = await act(discard, { filter: { eventType: 'b.after' } });
    const ids = `array(select event_id from dlq_audit_events where audit_id = ${auditId} limit 10)`;
    const undone = await countRowsRead(
      database(),
      'dlq_audit_events',
      `select dlq_undo_events(${auditId}, 999, ${ids})`,
    );
    assert.ok(undone < 100, `An undo of 10 events reads ${undone} rows.`);
    await manyEvents(database(), 2000, 'c.later');
    const discarded = await countRowsRead(
      database(),
      'dlq_audit_events',
      `update dlq_events set status = 'DISCARDED', processed_at = now() where event_type = 'c.later'`,
    );
    assert.ok(discarded < 100, `A discard of 2000 events reads ${discarded} rows.`);
  });

  it('of an edit closes the edit, which is found in the archive, and not one that was sent', async () => {
    target().answer = (_, response) => response.writeHead(503).end();
    const [kept, sent] = [await anEvent(database()), await anEvent(database())];
    const entries: string[] = [];
    for (const id of [kept, sent]) {
      const run = await aRun(deps(), { filter: { ids: [id] }, edit: { body: '{"a":2}' } });
      if (id === sent) await workOnReplay(deps(), run.id, { endsAt: Date.now() + 60_000 });
      await changeRun(database().db, 'cancel', { runId: run.id, actor: 'ada', reason: null }).catch(() => {});
      const found = await database().sql<{ id: string }>(
        `select max(id) as id from dlq_audit where action = 'edit'`,
      );
      entries.push(found[0]?.id ?? '');
    }
    const [ofKept, ofSent] = [await undo(entries[0] ?? ''), await undo(entries[1] ?? '')];
    assert.deepEqual([ofKept.changed, ofSent.changed, ofSent.kept], [1, 0, { sent: 1 }]);
    const rows = await database().sql(
      `select edited_from, status, convert_from(body, 'UTF8') as body from dlq_events_archive`,
    );
    assert.deepEqual(rows, [{ edited_from: kept, status: 'DISCARDED', body: '{"a":2}' }]);
  });

  it('of a patch is rejected while its run goes on', async () => {
    await anEvent(database());
    await aRun(deps(), { patch: [{ op: 'add', path: '/a', value: 1 }] });
    const [entry] = await database().sql<{ id: string }>('select id from dlq_audit');
    await assert.rejects(undo(entry?.id ?? ''), ConflictError);
  });

  it('of a hold releases its target, but not one that was held again since', async () => {
    const change = { target: target().url, actor: 'ada', reason: 'a test' };
    await holdTarget(deps(), change);
    const [entry] = await database().sql<{ id: string }>('select id from dlq_audit');
    await undo(entry?.id ?? '');
    assert.deepEqual(await database().sql('select target from dlq_breakers where held_at is not null'), []);
    await holdTarget(deps(), change);
    await assert.rejects(undo(entry?.id ?? ''), ConflictError);
    await releaseTarget(deps(), change);
  });

  it('of another entry, or of none, is rejected', async () => {
    await assert.rejects(undo('4711'), NotFoundError);
    await anEvent(database());
    await aRun(deps());
    const [entry] = await database().sql<{ id: string }>('select id from dlq_audit');
    await assert.rejects(undo(entry?.id ?? ''), ConflictError);
  });
});
