import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { listBacklogs } from '../../../shared/schedule/backlogs.ts';
import { readSnapshot } from '../../../shared/schedule/snapshot.ts';
import { holdTarget, pauseSchedule } from '../../../shared/targets/change-hold.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('what waits for each target', () => {
  const database = useDatabase();
  const routes = ['billing', 'mail'].map((name) =>
    aRouteTo(`http://${name}/`, { match: { consumerGroup: name } }),
  );
  const backlogs = async () => {
    const deps = { db: database().db, retry: retryConfig(), routes };
    const listed = await listBacklogs(deps.db, await readSnapshot(deps));
    return Object.fromEntries(listed.map(({ target, ...each }) => [target ?? 'no route', each]));
  };
  const events = async (counts: Readonly<Record<string, number>>) => {
    for (const [consumer_group, count] of Object.entries(counts))
      for (let i = 0; i < count; i++) await anEvent(database(), { consumer_group });
  };
  beforeEach(() => database().clear());

  it('is counted once, also of a type that goes to several targets or to none', async () => {
    await events({ billing: 3, mail: 2, other: 4 });
    await anEvent(database(), { event_type: 'invoice.created', consumer_group: 'mail' });
    await anEvent(database(), { event_type: 'lost.created' });
    const waiting = Object.entries(await backlogs()).map(([target, each]) => [target, each.waiting]);

    assert.deepEqual(Object.fromEntries(waiting), { 'http://billing/': 3, 'http://mail/': 3, 'no route': 5 });
  });

  it('has each of its event types once', async () => {
    await events({ billing: 2 });
    await anEvent(database(), { consumer_group: 'billing', source_key: 'k' });
    assert.deepEqual((await backlogs())['http://billing/']?.eventTypes, ['order.created']);
  });

  it('is due since its first event is, of any type, and not at all while its target is held', async () => {
    const [first, second] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
    const of = { consumer_group: 'mail' };
    await anEvent(database(), { ...of, event_type: 'a', retry_after: second });
    await anEvent(database(), { ...of, event_type: 'b', retry_after: first });
    const since = async () => (await backlogs())['http://mail/']?.dueSince;
    assert.deepEqual(await since(), first);
    await holdTarget(
      { db: database().db, routes },
      { target: 'http://mail/', actor: 'ada', reason: 'maintenance' },
    );
    assert.equal(await since(), null);
  });

  it('is down while the schedule is paused, whenever its target could be probed', async () => {
    await events({ billing: 1, mail: 1 });
    await database().sql(
      `insert into dlq_breakers (target, state, opened_at, cooldown_seconds, probe_after)
       values ('http://billing/', 'OPEN', now(), 600, now() + interval '5 minutes'),
         ('http://mail/', 'OPEN', now(), 600, now() - interval '1 minute')`,
    );
    const states = async () =>
      Object.values(await backlogs()).map(({ state, until, due }) => [state, until !== null, due]);
    assert.deepEqual((await states()).sort(), [
      ['down', true, 0],
      ['probe', true, 1],
    ]);
    await pauseSchedule(database().db, { actor: 'ada', reason: 'x', until: undefined });
    assert.deepEqual(await states(), [
      ['down', false, 0],
      ['down', false, 0],
    ]);
  });
});
