import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { beforeAll, countEach, walkLanes } from '../../../shared/schedule/lanes.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';

describe('the lanes with open events', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());

  it('are counted up to a number, and known to have no more at exactly that number', async () => {
    await manyEvents(database(), 3, 'three');
    await manyEvents(database(), 4, 'four');
    await anEvent(database(), { event_type: 'closed', status: 'SUCCEEDED' });
    const lanes = await database().sql<{ lane: string; event_type: string }>(
      'select distinct lane, event_type from dlq_events',
    );
    const typeOf = new Map(lanes.map(({ lane, event_type }) => [lane, event_type]));
    const counts = await countEach(database().db, { lanes: [...typeOf.keys()], max: 3 });

    assert.deepEqual(
      Object.fromEntries(counts.map(({ lane, events, isExact }) => [typeOf.get(lane), [events, isExact]])),
      { three: [3, true], four: [3, false], closed: [0, true] },
    );
  });

  it('are walked with each of their priorities, over up to a number of lanes', async () => {
    for (const event_type of ['a', 'b'])
      for (const priority of [5, -1, 5]) await anEvent(database(), { event_type, priority });
    const walk = (max: number) => walkLanes(database().db, { ...beforeAll, max, dueAt: null });
    const walked = await walk(3);

    assert.deepEqual(
      walked.map(({ priority, nth }) => [priority, nth]),
      [
        [-1, 1],
        [5, 1],
        [-1, 2],
        [5, 2],
      ],
    );
    assert.equal(new Set(walked.map(({ eventType }) => eventType)).size, 2);
    assert.deepEqual(await walk(2), walked.slice(0, 3));
  });

  it('are those with an event that was due at the time of a tick, and the last one', async () => {
    const dueAt = '2026-03-04 05:06:07.123456+00';
    const add = (event_type: string, retry_after: string, own = {}) =>
      anEvent(database(), { event_type, retry_after, ...own });
    await add('due', dueAt);
    for (const type of ['later', 'leased', 'closed', 'other'])
      await add(type, '2026-03-04 05:06:07.123457+00');
    await add('leased', dueAt, { status: 'PROCESSING' });
    await add('closed', dueAt, { status: 'SUCCEEDED' });
    await add('other', dueAt, { priority: 1 });
    const walked = await walkLanes(database().db, { ...beforeAll, max: 100, dueAt });

    const due = walked.filter(({ isDue }) => isDue).map(({ eventType, priority }) => [eventType, priority]);
    assert.deepEqual(due.sort(), [
      ['due', 0],
      ['other', 1],
    ]);
    assert.equal(walked.at(-1)?.nth, 5);
    assert.ok(walked.every(({ isDue, nth }) => isDue || nth === 5));
  });
});
