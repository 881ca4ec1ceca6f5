import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Capture } from '../../../shared/capture/message.ts';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';

describe('the events of one request', () => {
  const database = useDatabase();
  const store = async (...captures: Partial<Capture>[]) => {
    const deps = { db: database().db, maxRecurrences: 3, repeatSeconds: 600 };
    return await storeCaptures(deps, captures.map(aCapture));
  };
  beforeEach(() => database().clear());

  it('have ids in the order in which they stand in it', async () => {
    const keys = ['9', '10', 'b', 'a', '8', '11'];
    const stored = await store(...keys.map((key) => ({ eventKey: `id:${key}` })));
    const rows = await database().sql<{ event_key: string }>('select event_key from dlq_events order by id');

    assert.deepEqual(
      rows.map(({ event_key }) => event_key),
      keys.map((key) => `id:${key}`),
    );
    assert.equal(new Set(stored.map(({ id }) => id)).size, keys.length);
  });

  it('have ids in this order also if one of them contradicts another', async () => {
    const contents = ['{"n":1}', '{"n":2}', '{"n":3}', '{"n":2}'];
    const captures = contents.map((content) => ({ eventKey: 'id:1', body: Buffer.from(content) }));
    const stored = await store(...captures, { eventKey: 'id:0' });
    const rows = await database().sql<{ body: string }>(
      `select convert_from(body, 'UTF8') as body from dlq_events order by id`,
    );

    assert.deepEqual(
      rows.map(({ body }) => body),
      ['{"n":1}', '{"n":2}', '{"n":3}', '{"orderId": 1}'],
    );
    assert.equal(stored[1]?.id, stored[3]?.id);
    assert.deepEqual(
      stored.map(({ conflictsWith }) => conflictsWith === stored[0]?.id),
      [false, true, true, true, false],
    );
  });

  it('are stored if thousands of them contradict one another', async () => {
    const captures = Array.from({ length: 3000 }, (_, i) => ({
      eventKey: 'id:1',
      body: Buffer.from(`{"n":${i}}`),
    }));
    const stored = await store(...captures);

    assert.equal(new Set(stored.map(({ id }) => id)).size, 3000);
  });
});

describe('messages of RabbitMQ without an id', () => {
  const database = useDatabase();
  const message = (time: number) => ({
    payload: '{"n":1}',
    payload_encoding: 'string',
    exchange: 'dlx',
    routing_key: 'orders',
    properties: { headers: { 'x-death': [{ count: 1, reason: 'rejected', queue: 'orders', time }] } },
  });

  it('are events of their own if they died at different times, and one event if it is the same time', async () => {
    const times = [1_772_358_000, 1_772_358_000, 1_772_358_060, 1_772_358_120, 1_772_358_060];
    const stored = [];
    for (const time of times) {
      const body = Buffer.from(JSON.stringify([message(time)]));
      const captures = readCaptures({ path: '/', query: new URLSearchParams(), headers: {}, body });
      stored.push(
        ...(await storeCaptures({ db: database().db, maxRecurrences: 3, repeatSeconds: 600 }, captures)),
      );
    }
    const ids = stored.map(({ id }) => id);
    assert.deepEqual([ids[0] === ids[1], ids[2] === ids[4]], [true, true]);
    assert.equal(new Set(ids).size, 3);
  });
});

describe('an event whose consumer only one capture names', () => {
  const database = useDatabase();
  const store = async (consumerGroup: string | null, facts: Partial<Capture> = {}) => {
    const deps = { db: database().db, maxRecurrences: 3, repeatSeconds: 600 };
    const eventKey = consumerGroup === null ? 'id:1' : `id:1@${consumerGroup}`;
    const [stored] = await storeCaptures(deps, [aCapture({ eventKey, consumerGroup, ...facts })]);
    return stored?.id;
  };
  beforeEach(() => database().clear());

  for (const [first, second] of [
    ['billing', null],
    [null, 'billing'],
  ] as const) {
    it(`is one event (${first ?? 'no consumer'}, then ${second ?? 'none'})`, async () => {
      const id = await store(first);
      assert.equal(await store(second), id);
      const [row] = await database().sql('select consumer_group from dlq_events');
      assert.equal(row?.consumer_group, 'billing');
    });
  }

  it('is the event of the first consumer that is named, and of no other', async () => {
    const id = await store(null);
    assert.equal(await store('billing'), id);
    assert.notEqual(await store('shipping'), id);
    assert.equal(await store('billing'), id);
  });

  it('is an event of its own if two consumers could be meant', async () => {
    const known = [await store('billing'), await store('shipping')];
    assert.ok(!known.includes(await store(null)));
  });

  it('is an event of its own if its content is another', async () => {
    const id = await store('billing');
    assert.notEqual(await store(null, { body: Buffer.from('{"other": true}') }), id);
  });
});
