import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { deal } from '../../../shared/delivery/deal.ts';
import { findSuccessors } from '../../../shared/schedule/due-events.ts';
import { claim, idsOf, pick } from '../../support/claims.ts';
import { type TestDatabase, useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('on an ordered route', () => {
  const database = useDatabase();
  const ordered = { routes: [aRouteTo('http://shop/', { ordered: true })] };
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

  it('the next event of a key follows a delivered one in its tick, if it was due then', async () => {
    const first = await keyed('a', { status: 'SUCCEEDED' });
    const second = await keyed('a');
    await keyed('b');
    const following = (dueAt: string) =>
      findSuccessors(database().db, { delivered: [first], dueAt, rules: '{}' });
    assert.deepEqual(idsOf(await following('2100-01-01')), [second]);
    assert.deepEqual(await following('2020-01-01'), []);
    await database().sql(`update dlq_events set status = 'SUCCEEDED' where id = $1`, [second]);
    assert.deepEqual(await following('2100-01-01'), []);
  });

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
    const groups = await pick(database(), { dueAt: 'now', ...ordered });
    // Of eleven events, one may be of a lower priority.
    const limits = {
      all: 11,
      parts: new Map(),
      sampled: new Set<never>(),
    };
    assert.equal(deal(groups, limits)[0]?.id, ids[1]);
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

  it('an event whose capture commits after a later one was sent goes next', async () => {
    const late = new pg.Client({ connectionString: database().url });
    await late.connect();
    await late.query('begin');
    const sql: TestDatabase['sql'] = async (text, values) => (await late.query(text, values)).rows as never[];
    const first = await anEvent({ ...database(), sql }, { source_key: 'a' });
    const second = await keyed('a');
    assert.deepEqual(idsOf(await claim(database(), ordered)), [second]);
    await late.query('commit');
    await late.end();
    await keyed('a');
    assert.deepEqual(idsOf(await claim(database(), ordered)), [first]);
  });

  it('the order of a key spans all event types', async () => {
    const one = await keyed('a');
    await keyed('a', { event_type: 'invoice.created' });
    assert.deepEqual(idsOf(await claim(database(), ordered)), [one]);
  });

  it('the order of a key spans reports, copies and records of one consumer', async () => {
    const topic = { source_topic: 'orders', consumer_group: 'shop' };
    const one = await keyed('a', { ...topic, source_kind: 'http', status: 'FAILED_PERMANENTLY' });
    for (const source_kind of ['kafka', 'pubsub', 'http']) await keyed('a', { ...topic, source_kind });
    assert.deepEqual(await claim(database(), ordered), []);
    await database().sql(`update dlq_events set status = 'DISCARDED' where id = $1`, [one]);
    assert.equal((await claim(database(), ordered)).length, 1);
  });

  it('an event that names no consumer waits for that of any', async () => {
    const one = await keyed('a', { source_topic: 'orders', consumer_group: 'shop' });
    await keyed('a', { source_topic: 'orders' });
    assert.deepEqual(idsOf(await claim(database(), ordered)), [one]);
  });

  it('the same key of another consumer, or of another topic, is a separate sequence', async () => {
    const topic = { source_topic: 'orders', consumer_group: 'shop' };
    const ids = [
      await keyed('a', topic),
      await keyed('a', { ...topic, consumer_group: 'billing' }),
      await keyed('a', { ...topic, source_topic: 'invoices' }),
    ];
    assert.deepEqual(idsOf(await claim(database(), ordered)).sort(), ids.sort());
  });

  it('a key that moves to another partition keeps the order of capture between partitions', async () => {
    const record = (source_partition: string, source_offset: string) =>
      keyed('a', { source_topic: 'orders', source_partition, source_offset });
    const ids = [await record('3', '900'), await record('3', '901'), await record('1', '7')];
    const claimed: string[] = [];
    for (const _ of ids) {
      const [id = ''] = idsOf(await claim(database(), ordered));
      claimed.push(id);
      await database().sql(`update dlq_events set status = 'SUCCEEDED' where id = $1`, [id]);
    }
    assert.deepEqual(claimed, ids);
  });
});
