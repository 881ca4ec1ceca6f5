import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { countEach, listLanes } from '../../../shared/schedule/lanes.ts';
import { claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';

describe('the lanes of a claim', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const laneOf = async (id: string) => {
    const [row] = await database().sql<{ lane: string }>('select lane from dlq_events where id = $1', [id]);
    return row?.lane ?? '';
  };

  it('with thousands of events do not starve one with three', async () => {
    await manyEvents(database(), 1000);
    await manyEvents(database(), 3, 'invoice.created');

    const types = (await claim(database())).map(({ eventType }) => eventType);
    assert.equal(types.filter((type) => type === 'invoice.created').length, 3);
  });

  it('share a batch equally', async () => {
    for (const type of ['a', 'b', 'c']) await manyEvents(database(), 30, type);

    const byType = Map.groupBy(await claim(database(), { limit: 30 }), ({ eventType }) => eventType);
    assert.deepEqual(
      new Map([...byType].map(([type, events]) => [type, events.length])),
      new Map([
        ['a', 10],
        ['b', 10],
        ['c', 10],
      ]),
    );
  });

  it('without competition get the whole batch', async () => {
    await manyEvents(database(), 60);
    await anEvent(database(), { event_type: 'later', retry_after: '2100-01-01' });

    assert.equal((await claim(database())).length, 50);
  });

  it('are all claimed in time, even if they outnumber the batch', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, retry_after)
       select 'type-' || lane, '{}', now() - interval '1 minute'
       from generate_series(1, 20) as lane, generate_series(1, 40)`,
    );

    const types = new Set<string>();
    for (let i = 0; i < 100; i++)
      for (const each of await claim(database(), { limit: 4 })) types.add(each.eventType);
    assert.equal(types.size, 20);
  });

  describe('with different priorities', () => {
    const fill = async (eventType: string, priority: number, events: number) => {
      await manyEvents(database(), events, eventType);
      await database().sql('update dlq_events set priority = $2 where event_type = $1', [
        eventType,
        priority,
      ]);
    };
    const claimMany = async (claims: number, limit = 50) => {
      const counts: Record<string, number> = {};
      for (let i = 0; i < claims; i++)
        for (const { eventType } of await claim(database(), { limit }))
          counts[eventType] = (counts[eventType] ?? 0) + 1;
      return counts;
    };

    it('are claimed by priority, and one of eleven events is of a lower one', async () => {
      await fill('low', 100, 500);
      await fill('vip', -100, 500);
      const { vip = 0, low = 0 } = await claimMany(4);
      assert.equal(vip + low, 200);
      assert.ok(low >= 16 && low <= 24, `${low} of low priority`);
    });

    it('fill a batch if few events have the highest priority', async () => {
      await fill('low', 100, 500);
      await fill('middle', 0, 10);
      await fill('vip', -100, 5);
      assert.deepEqual(await claimMany(1), { vip: 5, middle: 10, low: 35 });
    });

    it('starve no lane, even with a batch of one event', async () => {
      await fill('low', 100, 50);
      await fill('middle', 0, 50);
      await fill('vip', -100, 600);
      // One of some forty claims is of each lower lane, at random.
      const claimed = new Set<string>();
      for (let i = 0; i < 600 && claimed.size < 3; i++)
        for (const { eventType } of await claim(database(), { limit: 1 })) claimed.add(eventType);
      assert.equal(claimed.size, 3);
    });

    it('keep to the quota of their route, by priority', async () => {
      await fill('low', 100, 100);
      await fill('vip', -100, 100);
      const claimed = await claim(database(), { quota: 10 });
      const low = claimed.filter(({ eventType }) => eventType === 'low').length;
      assert.ok(claimed.length === 10 && low <= 2, `${low} of ${claimed.length}`);
    });
  });

  it('differ if any field differs that routes match', async () => {
    const origins = [
      { event_type: 'a', source_kind: 'k', source_topic: 't', consumer_group: 'g' },
      { event_type: 'b', source_kind: 'k', source_topic: 't', consumer_group: 'g' },
      { event_type: 'a', source_kind: 'l', source_topic: 't', consumer_group: 'g' },
      { event_type: 'a', source_kind: 'k', source_topic: 'u', consumer_group: 'g' },
      { event_type: 'a', source_kind: 'k', source_topic: 't', consumer_group: null },
    ];
    for (const origin of origins)
      for (const priority of [0, 1]) await anEvent(database(), { ...origin, priority });

    const lanes = (await listLanes(database().db)).map((each) => ({
      event_type: each.eventType,
      source_kind: each.sourceKind,
      source_topic: each.sourceTopic,
      consumer_group: each.consumerGroup,
    }));
    const sorted = (list: object[]) => list.map((each) => JSON.stringify(each)).sort();
    assert.deepEqual(sorted(lanes), sorted(origins));
  });

  it('differ if one event has a key and the other has none', async () => {
    for (const source_key of ['a', 'b', null]) await anEvent(database(), { source_key });
    const lanes = await listLanes(database().db);
    assert.deepEqual(lanes.map(({ hasKey }) => hasKey).sort(), [false, true]);
  });

  it('are listed only with open events, which are counted', async () => {
    const lane = await laneOf(await anEvent(database()));
    await anEvent(database(), { status: 'SUCCEEDED' });
    for (const type of ['a', 'b', 'c', 'd'])
      await anEvent(database(), { event_type: type, status: 'DISCARDED' });

    assert.deepEqual(
      (await listLanes(database().db)).map((each) => each.lane),
      [lane],
    );
    assert.deepEqual(await countEach(database().db, { lanes: [lane], max: 10 }), [
      { lane, events: 1, isExact: true },
    ]);
  });
});
