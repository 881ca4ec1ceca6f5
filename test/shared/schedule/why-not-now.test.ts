import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { causeOf } from '../../../shared/delivery/cause.ts';
import { whyNotNow } from '../../../shared/schedule/why-not-now.ts';
import { pauseSchedule } from '../../../shared/targets/change-hold.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

const origin = {
  eventType: 'order.created',
  sourceKind: 'kafka',
  sourceTopic: 'orders',
  consumerGroup: null,
};
const plain = aRouteTo('http://shop/');

describe('why an event does not go now', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const anOrder = (facts: Record<string, unknown> = {}) =>
    anEvent(database(), { source_kind: 'kafka', source_topic: 'orders', ...facts });
  const reasonOf = async (id: string, routes = [plain]) =>
    (await whyNotNow({ db: database().db, routes }, { id, ...origin }))?.reason;
  const hold = (columns: string, values: string) =>
    database().sql(`insert into dlq_breakers (target, ${columns}) values ('http://shop/', ${values})`);

  it('is nothing if it is due, or was delivered or discarded', async () => {
    assert.equal(await reasonOf(await anOrder()), undefined);
    for (const status of ['SUCCEEDED', 'DISCARDED']) {
      assert.equal(await reasonOf(await anOrder({ status })), undefined);
    }
  });

  it('is that a person has to decide if it has failed permanently', async () => {
    const failed = await anOrder({ status: 'FAILED_PERMANENTLY' });
    assert.equal(await reasonOf(failed), 'undecided');
    const run = await aRun({ db: database().db, routes: [plain] }, { filter: { ids: [failed] } });
    const why = await whyNotNow({ db: database().db, routes: [plain] }, { id: failed, ...origin });
    assert.deepEqual([why?.reason, why?.runId], ['in-run', run.id]);
  });

  it('is that a person has to decide, too, if a replay selected others, or has ended', async () => {
    const [failed, other] = [
      await anOrder({ status: 'FAILED_PERMANENTLY' }),
      await anOrder({ status: 'FAILED_PERMANENTLY' }),
    ];
    const run = (id: string) => aRun({ db: database().db, routes: [plain] }, { filter: { ids: [id] } });
    const { id } = await run(failed);
    await run(other);
    await database().sql(`update dlq_runs set ended_at = now(), stopped = 'cancelled' where id = $1`, [id]);
    assert.deepEqual([await reasonOf(failed), await reasonOf(other)], ['undecided', 'in-run']);
  });

  it('is its time, its worker, or that no route matches it', async () => {
    const later = new Date(Date.now() + 3_600_000);
    const id = await anOrder({ retry_after: later });
    const why = await whyNotNow({ db: database().db, routes: [plain] }, { id, ...origin });
    assert.deepEqual([why?.reason, why?.until], ['later', later]);
    assert.equal(await reasonOf(id, []), 'no-route');
    await database().sql(`update dlq_events set retry_after = 'infinity'`);
    const never = await whyNotNow({ db: database().db, routes: [plain] }, { id, ...origin });
    assert.deepEqual([never?.until, never?.says.slice(0, 15)], [null, 'It has no time:']);
    await database().clear();
    const leased = await anOrder();
    await claim(database(), { routes: [plain] });
    assert.equal(await reasonOf(leased), 'leased');
    await database().sql(`update dlq_events set lease_expires_at = now() - interval '1 second'`);
    assert.equal(await reasonOf(leased), 'lost');
  });

  it('is the event that goes first on an ordered route, which is named', async () => {
    const key = { source_key: 'k' };
    const first = await anOrder({ ...key, status: 'FAILED_PERMANENTLY' });
    const second = await anOrder(key);
    const ordered = aRouteTo('http://shop/', { ordered: true });
    const why = await whyNotNow({ db: database().db, routes: [ordered] }, { id: second, ...origin });
    assert.deepEqual([why?.reason, why?.blockedBy], ['blocked', first]);
    assert.equal(await reasonOf(second), undefined);
  });

  it('is what its route refuses', async () => {
    const old = await anOrder({ created_at: new Date(Date.now() - 86_400_000) });
    assert.equal(await reasonOf(old, [aRouteTo('http://shop/', { policy: { maxAge: '1h' } })]), 'expired');
    const refused = await anOrder({ error_class: 'Invalid' });
    const policy = { errorClasses: { Invalid: 'permanent' as const } };
    assert.equal(await reasonOf(refused, [aRouteTo('http://shop/', { policy })]), 'permanent');
  });

  it('is its target if that is held, by whom and why, or down until a probe', async () => {
    const id = await anOrder();
    await hold('held_at, held_by, held_reason, held_until', `now(), 'ada', 'a release', 'infinity'`);
    const held = await whyNotNow({ db: database().db, routes: [plain] }, { id, ...origin });
    assert.deepEqual([held?.reason, held?.says], ['held', 'Its target is held. ada: a release']);
    await database().sql(`update dlq_breakers set held_until = now() + interval '1 hour'`);
    const short = await whyNotNow({ db: database().db, routes: [plain] }, { id, ...origin });
    assert.ok(Number(short?.until) > Date.now(), 'it says when the hold ends');
    await database().clear('dlq_breakers');
    await hold(
      'state, opened_at, cooldown_seconds, probe_after',
      `'OPEN', now(), 60, now() + interval '1 minute'`,
    );
    assert.equal(await reasonOf(id), 'down');
    await database().clear('dlq_breakers');
    await hold(
      'state, opened_at, probe_after',
      `'OPEN', now() - interval '1 hour', now() - interval '1 minute'`,
    );
    const probed = await whyNotNow({ db: database().db, routes: [plain] }, { id, ...origin });
    assert.deepEqual([probed?.reason, Number(probed?.until) < Date.now()], ['down', true]);
    await database().clear('dlq_breakers');
    await hold('paused_until, pace, peak', `now() + interval '1 minute', 1, 1`);
    assert.equal(await reasonOf(id), 'paused');
  });

  it('is its cause, for which no event waits that a route sends elsewhere since', async () => {
    const cause = causeOf('http://shop/', 'no');
    await hold(
      'cause, state, opened_at, cooldown_seconds, probe_after',
      `${cause}, 'OPEN', now(), 60, now() + interval '1 minute'`,
    );
    const id = await anOrder({ cause });
    await anOrder({ event_type: 'order.moved', cause });
    const moved = aRouteTo('http://new-shop/', { match: { eventType: 'order.moved' } });
    const why = await whyNotNow({ db: database().db, routes: [moved, plain] }, { id, ...origin });
    assert.match(why?.says ?? '', /^Its cause fails by itself: 1 event waits\./);
  });

  it('is the pause of the schedule, and no time before its end', async () => {
    const hours = (n: number) => new Date(Date.now() + n * 3_600_000);
    const [soon, later] = [
      await anOrder({ retry_after: hours(1) }),
      await anOrder({ retry_after: hours(3) }),
    ];
    await pauseSchedule(database().db, { actor: 'ada', reason: 'a release', until: hours(2).toISOString() });
    assert.deepEqual([await reasonOf(soon), await reasonOf(later)], ['schedule-paused', 'later']);
    const paused = await whyNotNow({ db: database().db, routes: [plain] }, { id: soon, ...origin });
    assert.ok(Number(paused?.until) > Number(hours(1)), 'it says when the pause ends');
    await hold(
      'state, opened_at, cooldown_seconds, probe_after',
      `'OPEN', now(), 60, now() + interval '1 minute'`,
    );
    const down = await whyNotNow({ db: database().db, routes: [plain] }, { id: soon, ...origin });
    assert.deepEqual([down?.reason, down?.until], ['down', null]);
  });
});
