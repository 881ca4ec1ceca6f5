import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { findHeads } from '../../../shared/schedule/key-cursor.ts';
import { listLanes } from '../../../shared/schedule/lanes.ts';
import { aSettlement, fromBeginning } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { countReads, explainReads } from '../../support/plans.ts';

describe('with 50,000 closed events', () => {
  const database = useDatabase();
  const lease = { leaseToken: randomUUID(), leaseSeconds: 60, maxLost: 5 };
  const dueAt = '2100-01-01';
  const limitless = 1_000_000;
  let lanes: string[] = [];
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, status, processed_at)
       select 'order.created', '{}', 'SUCCEEDED', now() from generate_series(1, 50000)`,
    );
    await database().sql('vacuum analyze dlq_events');
    for (let i = 0; i < 10; i++) await manyEvents(database(), 100, `order.${i}`);
    lanes = (await listLanes(database().db, { max: 0 })).map(({ lane }) => lane);
  });
  const explain = (name: string, params: Record<string, unknown>) => explainReads(database(), name, params);
  const explainClaim = (limit: number) =>
    explain('claim-events', {
      ...lease,
      runId: '1',
      lanes: describeLanes(),
      limit,
      dueAt,
    });
  const describeLanes = () =>
    lanes.map((lane) => ({
      lane,
      route: 0,
      quota: limitless,
      fronts: fromBeginning,
      maxRetries: 9,
      target: 't',
    }));
  const indexesOf = {
    claim: ['dlq_events_due', 'dlq_events_pkey', 'dlq_events_sequence'],
    id: ['dlq_events_pkey'],
    lane: ['dlq_events_due'],
  };

  for (const limit of [1, 50, 1000, 50_000]) {
    it(`a claim of ${limit} reads only open events`, async () => {
      assert.deepEqual(await explainClaim(limit), indexesOf.claim);
    });
  }

  it('a claim keeps its plan with a large backlog and with fresh statistics', async () => {
    await manyEvents(database(), 5000);
    for (const limit of [1, 50, 1000, 50_000]) assert.deepEqual(await explainClaim(limit), indexesOf.claim);

    await database().sql('analyze dlq_events');
    for (const limit of [1, 50, 1000, 50_000]) assert.deepEqual(await explainClaim(limit), indexesOf.claim);
  });

  describe('and a backlog newer than the statistics', () => {
    const maxReads = 500;
    const about = { route: 0, quota: limitless, maxRetries: 9, target: 't' };
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
      [{ lane } = { lane }] = await listLanes(database().db, { max: 0 });
    });
    const read = (name: string, params: object) =>
      countReads(database(), name, { ...lease, dueAt, runId: '1', limit: 50, ...params });

    it('a claim of 50 reads fewer than 500 rows', async () => {
      const reads = await read('claim-events', { lanes: [{ lane, fronts: fromBeginning, ...about }] });
      assert.ok(reads.custom < maxReads && reads.generic < maxReads, JSON.stringify(reads));
    });

    it('an ordered claim of 50 reads fewer than 500 rows, however many events a failed one blocks', async () => {
      const params = { lanes: [{ lane, after: null }], max: 1000, limit: 50, dueAt };
      const reads = await read('find-heads', params);
      assert.ok(reads.custom < maxReads && reads.generic < maxReads, JSON.stringify(reads));

      const [found] = await findHeads(database().db, params);
      assert.equal(found?.ids.length, 50);
      const heads = [{ lane, ...about, heads: found?.ids }];
      const claimed = await read('claim-events', { lanes: heads });
      assert.ok(claimed.custom < maxReads && claimed.generic < maxReads, JSON.stringify(claimed));
    });
  });

  it('a settlement looks up each event by id', async () => {
    const settlements = [aSettlement('1', lease.leaseToken)];

    assert.deepEqual(
      await explain('settle-events', { runId: '1', settlements, maxRecurrences: 10 }),
      indexesOf.id,
    );
  });

  it('find-events looks up each event by id', async () => {
    const ids = Array.from({ length: 1000 }, (_, i) => i + 1);

    assert.deepEqual(await explain('find-events', { ids }), indexesOf.id);
  });

  for (const name of ['list-lanes', 'count-open-events', 'find-fronts']) {
    it(`${name} reads only open events`, async () => {
      assert.deepEqual(await explain(name, { lanes, max: 1000, dueAt }), indexesOf.lane);
    });
  }
});
