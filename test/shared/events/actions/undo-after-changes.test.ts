import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { discard, reopen, reprioritize } from '../../../../shared/events/actions/actions.ts';
import type { EventAction } from '../../../../shared/events/actions/define-action.ts';
import { runAction } from '../../../../shared/events/actions/run-action.ts';
import { changeRun } from '../../../../shared/replay/run.ts';
import { undoAction } from '../../../../shared/targets/change-hold.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent } from '../../../support/factories.ts';
import { aRouteTo, retryConfig } from '../../../support/routes.ts';
import { aRun } from '../../../support/runs.ts';

describe('the undo of an action after other changes', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const deps = () => ({ db: database().db, routes: [aRouteTo('http://shop/')], retry: retryConfig() });
  const act = async (action: EventAction, body: object) => {
    const request = { body: { reason: 'a test', ...body }, actor: 'ada', now: new Date() };
    const { auditId } = await runAction({ ...deps(), costLimit: 0 }, action.read(request).action);
    return auditId;
  };
  const undo = (id: string) => undoAction(deps(), { id, actor: 'ben', reason: 'a mistake', dryRun: false });
  const all = { filter: { eventType: '*' } };
  const update = (change: string) => database().sql(`update dlq_events set ${change}`);
  const reprioritizeAll = (priority: number) => act(reprioritize, { ...all, priority });
  for (const [what, change] of Object.entries({
    'that failed at its consumer again': () => update('failure_count = 2 where edited_from is not null'),
    'that plain SQL discarded': () => update("status = 'DISCARDED' where edited_from is not null"),
    'that an operator reprioritized': () => reprioritizeAll(5),
  }))
    it(`of an edit leaves one ${what} since`, async () => {
      const id = await anEvent(database());
      const run = await aRun(deps(), { filter: { ids: [id] }, edit: { body: '{"a":2}' } });
      await changeRun(database().db, 'cancel', { runId: run.id, actor: 'ada', reason: null });
      await change();
      const [entry] = await database().sql<{ id: string }>(`select id from dlq_audit where action = 'edit'`);
      assert.deepEqual((await undo(entry?.id ?? '')).kept, { changed: 1 });
    });

  it('of a reopening leaves what failed at its consumer again since', async () => {
    await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const id = await act(reopen, all);
    await update('failure_count = 2');
    assert.deepEqual((await undo(id)).kept, { changed: 1 });
  });

  it('is possible after that of a later action, and not before', async () => {
    await anEvent(database());
    const [first, second] = [await reprioritizeAll(5), await reprioritizeAll(7)];
    const undone = [await undo(first), await undo(second), await undo(first)];
    assert.deepEqual(
      undone.map(({ changed }) => changed),
      [0, 1, 1],
    );
  });

  it('opens an event again that was discarded after its worker had disappeared', async () => {
    await anEvent(database());
    await update("status = 'PROCESSING', lease_expires_at = now()");
    const id = await act(discard, all);
    assert.equal((await undo(id)).changed, 1);
    assert.deepEqual(await database().sql('select status from dlq_events'), [{ status: 'PENDING' }]);
  });
});
