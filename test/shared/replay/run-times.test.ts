import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { InputError } from '../../../shared/errors.ts';
import { changeRun, describeRun, getRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun, aRunRequest } from '../../support/runs.ts';

describe('a replay at a time', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const stateOf = async (id: string) => describeRun(await getRun(database().db, id)).state;
  /** Time passes. */
  const moveTime = (id: string, field: string) =>
    database().sql(
      `update dlq_runs set rollout = rollout || jsonb_build_object('${field}', now() - interval '1 second') where id = $1`,
      [id],
    );

  it('is scheduled until then, and started by the first tick after it', async () => {
    await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const { id } = await aRun(deps(), { startAt: inHours(1) });
    assert.equal(await workOnReplay(deps(), id, { endsAt: Date.now() + 60_000 }), 'not yet');
    await runTick(deps());
    assert.deepEqual([await stateOf(id), target().received.length], ['scheduled', 0]);
    await moveTime(id, 'startAt');
    await runTick(deps());
    assert.deepEqual([await stateOf(id), target().received.length], ['ended', 1]);
  });

  it('ends at its end, and the events that wait then keep their state', async () => {
    await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const { id } = await aRun(deps(), { notAfter: inHours(1) });
    await moveTime(id, 'notAfter');
    await workOnReplay(deps(), id, { endsAt: Date.now() + 60_000 });
    const { stopped, waiting } = await getRun(database().db, id);
    assert.deepEqual([stopped, waiting, target().received.length], ['time over', 1, 0]);
    const [event] = await database().sql('select status from dlq_events');
    assert.deepEqual(event, { status: 'FAILED_PERMANENTLY' });
  });

  it('ends at its end with the next tick while it is paused, too', async () => {
    await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const { id: runId } = await aRun(deps(), { notAfter: inHours(1) });
    await changeRun(database().db, 'pause', { runId, actor: 'ada', reason: null });
    await runTick(deps());
    assert.equal(await stateOf(runId), 'paused');
    await moveTime(runId, 'notAfter');
    await runTick(deps());
    assert.equal(await stateOf(runId), 'ended');
  });

  it('can be paused and cancelled before it starts', async () => {
    await anEvent(database());
    const { id: runId } = await aRun(deps(), { startAt: inHours(1) });
    const change = { runId, actor: 'ada', reason: null };
    await changeRun(database().db, 'pause', change);
    assert.equal(await stateOf(runId), 'paused');
    await changeRun(database().db, 'cancel', change);
    assert.equal(await stateOf(runId), 'ended');
  });

  it('begins and ends by the clock of the database, whatever that of its worker says', async (context) => {
    await anEvent(database(), { status: 'FAILED_PERMANENTLY' });
    const [early, late] = [
      await aRun(deps(), { startAt: inHours(1) }),
      await aRun(deps(), { notAfter: inHours(1) }),
    ];
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * 3_600_000 });
    const endsAt = Date.now() + 60_000;
    assert.equal(await workOnReplay(deps(), early.id, { endsAt }), 'not yet');
    assert.equal(target().received.length, 0);
    await workOnReplay(deps(), late.id, { endsAt });
    assert.equal((await getRun(database().db, late.id)).stopped, 'all done');
  });

  for (const times of [
    { notAfter: inHours(-1) },
    { startAt: inHours(2), notAfter: inHours(1) },
    { startAt: 'tonight' },
    { startAt: '2026-03-01T02:00:00' },
    { startAt: '0000-01-01T00:00Z' },
    { notAfter: '9999-12-31T23:59:59-14:00' },
  ]) {
    it(`is rejected if its times make no sense: ${Object.keys(times)}`, () => {
      assert.throws(() => aRunRequest(times), InputError);
    });
  }
});
