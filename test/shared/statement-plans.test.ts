import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { findHeads, listLanes } from '../../shared/events.ts';
import { aSettlement } from '../support/claims.ts';
import { useDatabase } from '../support/database.ts';
import { manyEvents } from '../support/factories.ts';
import { countReads, explainReads } from '../support/plans.ts';

describe('with a long history of closed events', () => {
  const database = useDatabase();
  const lease = { leaseToken: randomUUID(), leaseSeconds: 60 };
  const limitless = 1_000_000;
  let lanes: string[] = [];
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, status, processed_at)
       select 'order.created', '{}', 'SUCCEEDED', now() from generate_series(1, 200000)`,
    );
    await database().sql('vacuum analyze dlq_events');
    for (let i = 0; i < 10; i++) await manyEvents(database(), 100, `order.${i}`);
    lanes = (await listLanes(database().db, {})).map(({ lane }) => lane);
  });
  const explain = (name: string, params: Record<string, unknown>) => explainReads(database(), name, params);
  const explainClaim = (limit: number) =>
    explain('claim-events', {
      ...lease,
      runId: '1',
      lanes: describeLanes(),
      limit,
      dueAt: new Date().toISOString(),
    });
  const describeLanes = () =>
    JSON.stringify(
      lanes.map((lane) => ({
        lane,
        route: 0,
        quota: limitless,
        max_retries: 9,
        target: 't',
      })),
    );
  const byWayOf = {
    claim: ['dlq_events_due', 'dlq_events_pkey', 'dlq_events_sequence'],
    id: ['dlq_events_pkey'],
    lane: ['dlq_events_due'],
  };

  for (const limit of [1, 50, 1000, 50_000]) {
    it(`a claim of ${limit} looks at open events only`, async () => {
      assert.deepEqual(await explainClaim(limit), byWayOf.claim);
    });
  }

  it('a claim keeps its plan when statistics are fresh and when the backlog is large', async () => {
    await manyEvents(database(), 20_000);
    for (const limit of [1, 50, 1000, 50_000]) assert.deepEqual(await explainClaim(limit), byWayOf.claim);

    await database().sql('analyze dlq_events');
    for (const limit of [1, 50, 1000, 50_000]) assert.deepEqual(await explainClaim(limit), byWayOf.claim);
  });

  describe('and a backlog that statistics know nothing of', () => {
    const due = { dueAt: new Date(Date.now() + 60_000).toISOString() };
    const few = 500;
    const about = { route: 0, quota: limitless, max_retries: 9, target: 't' };
    let lane = '';
    before(async () => {
      await database().sql('delete from dlq_events where is_open');
      await database().sql('vacuum analyze dlq_events');
      await database().sql(
        `insert into dlq_events (event_type, payload, source_key, status)
         select 'order.created', '{}', case when n < 20000 then 'blocked' else 'key ' || n end,
           case n when 1 then 'FAILED_PERMANENTLY' else 'PENDING' end
         from generate_series(1, 20100) n`,
      );
      [{ lane } = { lane }] = await listLanes(database().db, {});
    });
    const read = (name: string, params: object) =>
      countReads(database(), name, { ...lease, ...due, runId: '1', limit: 50, ...params });

    it('a claim reads little more than it takes', async () => {
      const reads = await read('claim-events', { lanes: JSON.stringify([{ lane, ...about }]) });
      assert.ok(reads.custom < few && reads.generic < few, JSON.stringify(reads));
    });

    it('in order as well, however many wait behind an event that failed', async () => {
      const walk = { lanes: [{ lane }], most: 1000, limit: 50, ...due };
      const reads = await read('find-heads', { ...walk, lanes: JSON.stringify(walk.lanes) });
      assert.ok(reads.custom < few && reads.generic < few, JSON.stringify(reads));

      const [found] = await findHeads(database().db, { ...walk, lanes: JSON.stringify(walk.lanes) });
      assert.equal(found?.ids.length, 50);
      const heads = JSON.stringify([{ lane, ...about, heads: found?.ids }]);
      const claimed = await read('claim-events', { lanes: heads });
      assert.ok(claimed.custom < few && claimed.generic < few, JSON.stringify(claimed));
    });
  });

  it('a settlement goes from event to event', async () => {
    const settlements = JSON.stringify([aSettlement('1', lease.leaseToken)]);

    assert.deepEqual(
      await explain('settle-events', { runId: '1', settlements, reports: '[]', maxReturns: 10 }),
      byWayOf.id,
    );
  });

  it('find-events goes from event to event', async () => {
    const ids = Array.from({ length: 1000 }, (_, i) => i + 1);

    assert.deepEqual(await explain('find-events', { ids }), byWayOf.id);
  });

  for (const name of ['list-lanes', 'count-open-events']) {
    it(`${name} looks at open events only`, async () => {
      assert.deepEqual(await explain(name, { lanes }), byWayOf.lane);
    });
  }
});
