import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { recover } from '../../../shared/delivery/recover.ts';
import { statuses } from '../../../shared/message/event.ts';
import { changeRun } from '../../../shared/replay/run.ts';
import { claim, idsOf } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, claimAndDie, endLeases, progressOf } from '../../support/runs.ts';

describe('an event whose replay worker has died', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const read = () =>
    database().sql('select status, retry_count, retry_after, processed_at, lease_token from dlq_events');
  const createTestRun = (more = {}) =>
    aRun(
      { db: database().db, routes: [aRouteTo('http://shop/')] },
      { filter: { status: statuses }, ...more },
    );
  const recoverAll = () => recover({ db: database().db, retry: retryConfig() });
  const loseWorker = async (run: Awaited<ReturnType<typeof createTestRun>>) => {
    assert.equal((await claimAndDie(database(), run)).length, 1);
    await endLeases(database());
  };

  for (const status of ['PENDING', 'FAILED_PERMANENTLY', 'SUCCEEDED']) {
    it(`is restored to ${status}, even if its run was cancelled`, async () => {
      await anEvent(database(), { status, retry_after: '2026-01-02' });
      const before = await read();
      const run = await createTestRun();
      await loseWorker(run);
      await changeRun(database().db, 'cancel', { runId: run.id, actor: 'ada', reason: null });
      await recoverAll();

      const [event] = before;
      assert.deepEqual(await read(), [{ ...event, retry_count: 1 }]);
      const { waiting, inFlight } = await progressOf(database(), run.id);
      assert.deepEqual([waiting, inFlight], [1, 0]);
      const progressed = await database().sql('select progressed_at from dlq_runs');
      assert.deepEqual(progressed, [{ progressed_at: null }]);
    });
  }

  it('is not due for the schedule before its recovery, even after its lease', async () => {
    const id = await anEvent(database(), { retry_after: '2026-01-02' });
    const run = await createTestRun();
    const dueAt = new Date(Date.now() + 30_000).toISOString();
    await claimAndDie(database(), run);
    await database().sql('update dlq_events set lease_expires_at = now()');
    assert.deepEqual(await claim(database(), { dueAt }), []);

    await endLeases(database());
    await recoverAll();
    assert.deepEqual(idsOf(await claim(database(), { dueAt })), [id]);
  });

  it('has a lost attempt', async () => {
    const id = await anEvent(database());
    const run = await createTestRun();
    await loseWorker(run);
    await recoverAll();
    const attempts = await database().sql(
      'select event_id, run_id, number, outcome, target from dlq_attempts',
    );
    assert.deepEqual(attempts, [
      { event_id: id, run_id: run.id, number: 1, outcome: 'lost', target: 'http://shop/' },
    ]);
  });

  it('has no attempt if it had not been sent, and is delivered however often that happens', async () => {
    await anEvent(database());
    const run = await createTestRun();
    for (let i = 0; i < 4; i++) {
      await claimAndDie(database(), run, { isSent: false });
      await endLeases(database());
      await recoverAll();
    }
    assert.deepEqual(await database().sql('select from dlq_attempts'), []);
    assert.equal((await progressOf(database(), run.id)).waiting, 1);
  });

  it('fails after three lost attempts, and the run ends without it', async () => {
    await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const run = await createTestRun();
    for (let i = 0; i < 3; i++) {
      await loseWorker(run);
      await recoverAll();
    }
    const { failed, waiting } = await progressOf(database(), run.id);
    assert.deepEqual([failed, waiting, (await read())[0]?.status], [1, 0, 'FAILED_PERMANENTLY']);
    assert.deepEqual(await database().sql('select reason from dlq_run_events'), [{ reason: 'lost' }]);
  });

  it('fails permanently after three lost attempts if the schedule would send it again', async () => {
    await anEvent(database());
    const run = await createTestRun();
    for (let i = 0; i < 3; i++) {
      await loseWorker(run);
      await recoverAll();
    }
    assert.equal((await progressOf(database(), run.id)).failed, 1);
    const [event] = await read();
    assert.deepEqual([event?.status, event?.processed_at instanceof Date], ['FAILED_PERMANENTLY', true]);
  });

  it('waits for an operator after three lost attempts if its run sends a patched message', async () => {
    await anEvent(database());
    const run = await createTestRun({ patch: [{ op: 'test', path: '/orderId', value: 1 }] });
    for (let i = 0; i < 3; i++) {
      await loseWorker(run);
      await recoverAll();
    }
    assert.equal((await progressOf(database(), run.id)).failed, 1);
    assert.equal((await read())[0]?.status, 'FAILED_PERMANENTLY');
  });

  it('is not changed if another worker has claimed it', async () => {
    await anEvent(database());
    const run = await createTestRun();
    await loseWorker(run);
    const token = randomUUID();
    await database().sql(`update dlq_events set lease_token = $1, lease_expires_at = '2100-01-01'`, [token]);
    assert.deepEqual(await recoverAll(), []);
    assert.equal((await read())[0]?.lease_token, token);
    assert.equal((await progressOf(database(), run.id)).inFlight, 0);
  });

  it('is open if it had been delivered before and was captured again', async () => {
    await anEvent(database(), { status: 'SUCCEEDED' });
    await loseWorker(await createTestRun());
    await database().sql('update dlq_events set failure_count = failure_count + 1');
    await recoverAll();
    assert.equal((await read())[0]?.status, 'PENDING');
  });
});
