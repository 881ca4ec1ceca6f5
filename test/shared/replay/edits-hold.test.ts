import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { reopen } from '../../../shared/events/actions/actions.ts';
import { runAction } from '../../../shared/events/actions/run-action.ts';
import { changeRun } from '../../../shared/replay/change-run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, claimAndDie, endLeases } from '../../support/runs.ts';

describe('an open event that a replay sends edited', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const original = '{"amount":"-12,50"}';
  const edited = '{"amount":"12.50"}';
  const event = (columns = {}) =>
    anEvent(database(), { body: Buffer.from(original), payload: original, ...columns });
  const editedRun = (id: string) => aRun(deps(), { filter: { ids: [id] }, edit: { body: edited } });
  const work = (runId: string) => workOnReplay(deps(), runId, { endsAt: Date.now() + 60_000 });
  const fail = () => {
    target().answer = (_, response) => response.writeHead(503).end();
  };
  const sent = () => target().received.map(({ body }) => body.toString());
  const cancel = (runId: string) =>
    changeRun(database().db, 'cancel', { runId, actor: 'ada', reason: 'a test' });
  const limits = () => ({ db: database().db, repeatSeconds: 600 });
  const read = async () => {
    const [row] = await database().sql<{ status: string; retry_after: Date | number; error_reason: string }>(
      'select status, retry_after, error_reason from dlq_events',
    );
    return row;
  };

  it('waits for an operator if the delivery fails: the schedule never sends the captured message', async () => {
    fail();
    const run = await editedRun(await event());
    await work(run.id);
    await runTick(deps());
    assert.deepEqual(sent(), [edited]);
    assert.equal((await read())?.status, 'FAILED_PERMANENTLY');
  });

  it('is not due for the schedule while it waits in the run', async () => {
    const run = await editedRun(await event());
    await changeRun(database().db, 'pause', { runId: run.id, actor: 'ada', reason: null });
    await runTick(deps());
    assert.deepEqual(
      [sent(), await read()],
      [[], { status: 'PENDING', retry_after: Number.POSITIVE_INFINITY, error_reason: 'timeout' }],
    );
  });

  it('is taken out of the schedule although the lease of its worker has expired', async () => {
    await event({ status: 'PROCESSING', lease_token: crypto.randomUUID(), lease_expires_at: '2026-01-01' });
    const run = await aRun(deps(), { patch: [{ op: 'replace', path: '/amount', value: '12.50' }] });
    await work(run.id);
    assert.deepEqual(sent(), [edited]);
  });

  it('returns to the schedule at its time if the run is cancelled before', async () => {
    const run = await editedRun(await event({ retry_after: '2026-01-02T03:04:05Z' }));
    await cancel(run.id);
    const { status, retry_after } = (await read()) ?? {};
    assert.deepEqual([status, retry_after], ['PENDING', new Date('2026-01-02T03:04:05Z')]);
  });

  it('returns to the schedule at its time if the patch does not fit', async () => {
    await event({ retry_after: '2026-01-02T03:04:05Z' });
    const run = await aRun(deps(), { patch: [{ op: 'remove', path: '/absent' }] });
    await work(run.id);
    const { status, retry_after } = (await read()) ?? {};
    assert.deepEqual([sent(), status, retry_after], [[], 'PENDING', new Date('2026-01-02T03:04:05Z')]);
  });

  it('returns to the schedule if its worker dies after the run was cancelled', async () => {
    const run = await editedRun(await event());
    await claimAndDie(database(), run, { isSent: false });
    await cancel(run.id);
    await endLeases(database());
    await runTick(deps());
    assert.deepEqual([sent(), (await read())?.status], [[original], 'SUCCEEDED']);
  });

  it('is not taken by the schedule if its worker dies', async () => {
    const run = await editedRun(await event());
    await claimAndDie(database(), run);
    await database().sql(`update dlq_events set lease_expires_at = now() - interval '1 hour'`);
    await runTick(deps());
    assert.deepEqual(sent(), []);
  });

  it('waits for an operator if its consumer fails again after the edited delivery', async () => {
    const capture = aCapture({ body: Buffer.from(original), deliveryId: '1' });
    const [stored] = await storeCaptures(limits(), [capture]);
    const run = await editedRun(stored?.id ?? '');
    await work(run.id);
    await storeCaptures(limits(), [{ ...capture, deliveryId: '2' }]);
    await runTick(deps());
    assert.deepEqual([sent(), (await read())?.status], [[edited], 'FAILED_PERMANENTLY']);
  });

  it('stays with the run if its consumer asks for a retry meanwhile', async () => {
    const capture = aCapture({ body: Buffer.from(original), deliveryId: '1' });
    const [stored] = await storeCaptures(limits(), [capture]);
    await editedRun(stored?.id ?? '');
    await storeCaptures(limits(), [{ ...capture, deliveryId: '2', retryAfter: 0 }]);
    await database().sql('update dlq_events set retry_after = now()');
    assert.equal((await read())?.retry_after, Number.POSITIVE_INFINITY);
  });

  it('is excluded from another replay until the first has ended', async () => {
    const id = await event();
    const before = await aRun(deps(), { filter: { ids: [id] } });
    const run = await editedRun(id);
    const other = await aRun(deps(), { filter: { ids: [id] } });
    await work(before.id);
    assert.deepEqual([other.excluded, sent()], [{ edited: 1 }, []]);
    await work(run.id);
    assert.deepEqual(sent(), [edited]);
    const rows = await database().sql(`select reason from dlq_run_events where outcome = 'skipped'`);
    assert.deepEqual(rows, [{ reason: 'edited' }]);
  });

  it('is due with its captured message again once an operator reopens it', async () => {
    fail();
    const id = await event();
    const run = await editedRun(id);
    await work(run.id);
    const body = { filter: { ids: [id] }, reason: 'the target was wrong' };
    const { action } = reopen(database().db, { body, actor: 'ada', now: new Date() });
    await runAction({ db: database().db, costLimit: 0 }, action);
    await runTick(deps());
    assert.deepEqual(sent(), [edited, original]);
  });

  it('is due with its captured message again once plain SQL reopens it', async () => {
    fail();
    await work((await editedRun(await event())).id);
    await database().sql(`update dlq_events set status = 'PENDING'`);
    await runTick(deps());
    assert.deepEqual(sent(), [edited, original]);
  });

  it('cannot be stored as due', async () => {
    await assert.rejects(event({ edit_run_id: 1 }), /dlq_events_edits_are_not_due/);
  });
});
