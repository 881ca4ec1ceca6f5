import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { claim, idsOf } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('on an ordered route', () => {
  const database = useDatabase();
  const ordered = { about: { isOrdered: true } };
  const keyed = (source_key: string | null, columns = {}) => anEvent(database(), { source_key, ...columns });
  beforeEach(() => database().clear());

  it('a claim takes only the first event of each key', async () => {
    const first = await keyed('a');
    await keyed('a');
    const other = await keyed('b');
    assert.deepEqual(idsOf(await claim(database(), ordered)).sort(), [first, other].sort());
  });

  it('events without a key are not blocked', async () => {
    const ids = [await keyed(null), await keyed(null)];
    assert.deepEqual(idsOf(await claim(database(), ordered)).sort(), ids.sort());
  });

  it('the next event of a key is claimed once the previous one is done', async () => {
    const first = await keyed('a');
    const second = await keyed('a');
    await database().sql(`update dlq_events set status = 'SUCCEEDED' where id = $1`, [first]);
    assert.deepEqual(idsOf(await claim(database(), ordered)), [second]);
  });

  for (const [name, columns] of Object.entries({
    'waits for its backoff': { retry_after: '2100-01-01' },
    'is being delivered': { status: 'PROCESSING' },
    'failed permanently': { status: 'FAILED_PERMANENTLY' },
  })) {
    it(`an event that ${name} blocks the later ones of its key only`, async () => {
      await keyed('a', columns);
      await keyed('a');
      const other = await keyed('b');
      assert.deepEqual(idsOf(await claim(database(), ordered)), [other]);
    });
  }

  it('a discarded event blocks none', async () => {
    await keyed('a', { status: 'DISCARDED' });
    const next = await keyed('a');
    assert.deepEqual(idsOf(await claim(database(), ordered)), [next]);
  });

  it('a blocked key blocks no other key, whatever its priority', async () => {
    await keyed('a', { status: 'FAILED_PERMANENTLY', priority: -1 });
    await keyed('a', { priority: -1 });
    const other = await keyed('b');
    assert.deepEqual(idsOf(await claim(database(), ordered)), [other]);
  });

  it('the events with the lowest priority are claimed first', async () => {
    const ids: string[] = [];
    for (const priority of [5, 1, 3]) ids.push(await keyed(`${priority}`, { priority }));
    const [, first] = ids;
    assert.deepEqual(idsOf(await claim(database(), { about: { isOrdered: true, quota: 1 } })), [first]);
  });

  it('records of one Kafka partition go by offset, also if an earlier one is captured later', async () => {
    const record = (source_offset: string) =>
      keyed('a', { source_topic: 'orders', source_partition: 3, source_offset });
    const ids = [await record('11'), await record('9'), await record('10')];
    const claimed: string[] = [];
    for (const _ of ids) {
      const [id = ''] = idsOf(await claim(database(), ordered));
      claimed.push(id);
      await database().sql(`update dlq_events set status = 'SUCCEEDED' where id = $1`, [id]);
    }
    assert.deepEqual(claimed, [ids[1], ids[2], ids[0]]);
  });

  it('the same key in another lane is a separate sequence', async () => {
    const one = await keyed('a');
    const other = await keyed('a', { event_type: 'invoice.created' });
    assert.deepEqual(idsOf(await claim(database(), ordered)).sort(), [one, other].sort());
  });
});
