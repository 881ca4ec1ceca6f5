import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ConflictError, InputError, NotFoundError } from '../../../shared/errors.ts';
import { changeRun, getRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import {
  findStop,
  holdTarget,
  releaseTarget,
  stopEverything,
  undoAction,
} from '../../../shared/targets/change-hold.ts';
import { listTargets, showTarget } from '../../../shared/targets/show-targets.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('a stop of everything', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  beforeEach(() => database().clear());
  const deps = () => ({
    db: database().db,
    retry: retryConfig(),
    routes: [
      aRouteTo(`${target().url}orders`, { match: { eventType: 'order.*' } }),
      aRouteTo(`${target().url}other`),
    ],
  });
  const by = (reason = 'an incident') => ({ actor: 'ada', reason });
  const undo = (id: string, dryRun = false) => undoAction(deps(), { id, dryRun, ...by() });
  const sent = () => target().received.length;
  const work = (runId: string) => workOnReplay(deps(), runId, { endsAt: Date.now() + 60_000 });
  const isHeld = async () =>
    (await listTargets(deps(), await readSnapshot(deps()))).map(({ state }) => state === 'held');

  it('lets neither the schedule nor a replay send anything, and its undo brings back exactly what it stopped', async () => {
    await anEvent(database());
    await anEvent(database(), { event_type: 'invoice', status: 'FAILED_PERMANENTLY' });
    const filter = { filter: { status: 'FAILED_PERMANENTLY' } };
    const [open, paused] = [await aRun(deps(), filter), await aRun(deps(), filter)];
    await changeRun(database().db, 'pause', { runId: paused.id, actor: 'ben', reason: null });
    const { auditId } = await stopEverything(deps(), by());
    await runTick(deps());
    await work(open.id);
    assert.deepEqual([sent(), await isHeld()], [0, [true, true]]);
    assert.equal((await findStop(database().db, {}))[0]?.id, auditId);

    await undo(auditId);
    assert.deepEqual([await isHeld(), await findStop(database().db, {})], [[false, false], []]);
    assert.equal((await getRun(database().db, open.id)).pausedBecause, null);
    assert.equal((await getRun(database().db, paused.id)).pausedBecause, 'By ben.');
    await runTick(deps());
    assert.equal(sent(), 2);
    await assert.rejects(undo(auditId), ConflictError);
    const actions = await database().sql(
      `select action from dlq_audit where action in ('stop', 'undo') order by id`,
    );
    assert.deepEqual(actions, [{ action: 'stop' }, { action: 'undo' }]);
  });

  it('is rejected if its end has passed, as a hold is', async () => {
    const until = new Date(Date.now() - 1000).toISOString();
    await assert.rejects(stopEverything(deps(), { ...by(), until }), InputError);
    const hold = holdTarget(deps(), { target: `${target().url}orders`, ...by(), until });
    await assert.rejects(hold, InputError);
  });

  it('leaves a target that was held before to those who held it', async () => {
    const name = `${target().url}orders`;
    await holdTarget(deps(), { target: name, ...by('before') });
    const { auditId } = await stopEverything(deps(), by());
    await undo(auditId);
    assert.deepEqual(await isHeld(), [true, false]);
  });

  it('holds the target, too, that a route brings meanwhile', async () => {
    await anEvent(database());
    const { auditId } = await stopEverything(deps(), by());
    const moved = { ...deps(), routes: [aRouteTo(`${target().url}moved`)] };
    await runTick(moved);
    assert.equal(sent(), 0);
    await undo(auditId);
    await runTick(moved);
    assert.equal(sent(), 1);
  });

  it('holds a target without a route that failed before, so that a route that brings it back sends nothing', async () => {
    await anEvent(database());
    const name = `${target().url}back`;
    await database().sql('insert into dlq_breakers (target, consecutive_failures) values ($1, 1)', [name]);
    await stopEverything(deps(), by());
    await runTick({ ...deps(), routes: [aRouteTo(name)] });
    assert.equal(sent(), 0);
  });

  it('and a hold end by themselves at their time', async () => {
    await anEvent(database());
    await stopEverything(deps(), { ...by(), until: new Date(Date.now() + 3_600_000).toISOString() });
    await runTick(deps());
    assert.equal(sent(), 0);
    await database().sql(`update dlq_breakers set held_until = now() - interval '1 second'`);
    await runTick(deps());
    assert.deepEqual([sent(), await isHeld(), await findStop(database().db, {})], [1, [false, false], []]);
    await holdTarget(deps(), { target: `${target().url}other`, ...by() });
  });

  it('and a hold stay visible, and can be ended, if no route has the target any more', async () => {
    const name = `${target().url}orders`;
    await holdTarget(deps(), { target: name, ...by() });
    const others = { ...deps(), routes: [aRouteTo(`${target().url}orders/`)] };
    const targets = await listTargets(others, await readSnapshot(others));
    assert.deepEqual(
      targets.map((each) => [each.target, each.state]),
      [
        [name, 'held'],
        [`${name}/`, 'unused'],
      ],
    );
    assert.equal((await showTarget(others, await readSnapshot(others), name)).heldBy, 'ada');
    await releaseTarget(others, { target: name, ...by() });
    await assert.rejects(showTarget(others, await readSnapshot(others), name), NotFoundError);
  });
});
