import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { countOpenEvents, listLanes } from '../../../shared/schedule/lanes.ts';
import { claim, idsOf } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';

describe('the lanes of a claim', () => {
  const database = useDatabase();
  beforeEach(() => database().sql('truncate dlq_events'));
  const laneOf = async (id: string) => {
    const [row] = await database().sql<{ lane: string }>('select lane from dlq_events where id = $1', [id]);
    return row?.lane ?? '';
  };

  it('with thousands of events do not starve one with three', async () => {
    await manyEvents(database(), 3000);
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

  it('that are not requested stay unchanged', async () => {
    const wanted = await anEvent(database());
    const other = await anEvent(database(), { event_type: 'invoice.created' });

    assert.deepEqual(idsOf(await claim(database(), { lanes: [await laneOf(wanted)] })), [wanted]);
    const [row] = await database().sql('select status, retry_count from dlq_events where id = $1', [other]);
    assert.deepEqual(row, { status: 'PENDING', retry_count: 0 });
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

    const lanes = (await listLanes(database().db, { max: 0 })).map((each) => ({
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
    const lanes = await listLanes(database().db, { max: 0 });
    assert.deepEqual(lanes.map(({ hasKey }) => hasKey).sort(), [false, true]);
  });

  it('are listed only with open events, which are counted', async () => {
    const lane = await laneOf(await anEvent(database()));
    await anEvent(database(), { status: 'SUCCEEDED' });
    for (const type of ['a', 'b', 'c', 'd'])
      await anEvent(database(), { event_type: type, status: 'DISCARDED' });

    assert.deepEqual(
      (await listLanes(database().db, { max: 0 })).map((each) => each.lane),
      [lane],
    );
    assert.deepEqual(await countOpenEvents(database().db, { lanes: [lane] }), [{ events: 1 }]);
  });
});
