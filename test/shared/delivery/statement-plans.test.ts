import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { listLanes } from '../../../shared/schedule/lanes.ts';
import { aSettlement } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';
import { countPages, countReads, countRowsRead, countScanned, explainReads } from '../../support/plans.ts';
import { vacuumEvents } from '../../support/vacuum.ts';

const leaseToken = randomUUID();
const dueAt = '2100-01-01';
const lease = { runId: '1', leaseToken, leaseSeconds: 60, upTo: null, dueAt };
const beforeAll = { lane: '-9223372036854775808', priority: -32_768 };

describe('with 8,000 closed events', () => {
  const database = useDatabase();
  let lanes: string[] = [];
  const useLanes = async () => {
    lanes = (await listLanes(database().db)).map(({ lane }) => lane);
  };
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, status, processed_at, id_hashes)
       select 'order.created', '{}', 'SUCCEEDED', now(), '' from generate_series(1, 8000)`,
    );
    await vacuumEvents(database());
    for (let i = 0; i < 10; i++) await manyEvents(database(), 100, `order.${i}`);
    await useLanes();
  });
  const explain = (name: string, params: Record<string, unknown>) => explainReads(database(), name, params);
  const groups = (isOrdered = false) =>
    lanes.map((lane) => ({ lane, priority: 0, retryAfter: '-infinity', id: '0', isOrdered, rules: null }));
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `${i + 1}`);
  const toLease = (count: number) => ids(count).map((id) => ({ id, isOrdered: true }));

  for (const max of [1, 50, 1000]) {
    it(`picking ${max} of each lane reads only open events, and by key`, async () => {
      const reads = await explain('pick-due', { groups: groups(true), max, dueAt });
      assert.deepEqual(reads, ['dlq_events_due']);
    });

    it(`leasing, settling and finding ${max} events looks up each by its id`, async () => {
      assert.deepEqual(await explain('lease-events', { ...lease, events: toLease(max) }), [
        'dlq_events_pkey',
      ]);
      const settlements = ids(max).map((id) => aSettlement(id, leaseToken));
      assert.deepEqual(await explain('settle-events', { runId: '1', settlements }), ['dlq_events_pkey']);
      assert.deepEqual(await explain('find-encodings', { ids: ids(max) }), ['dlq_events_pkey']);
    });
  }

  it('the walk over lanes, and every count by lane, reads only open events', async () => {
    const walk = { ...beforeAll, max: 1000, dueAt };
    assert.deepEqual(await explain('walk-lanes', walk), ['dlq_events_due']);
    assert.deepEqual(await explain('walk-lanes', { ...walk, dueAt: null }), ['dlq_events_due']);
    assert.deepEqual(await explain('count-lanes', { lanes, max: 1000 }), ['dlq_events_due']);
  });

  it('recovery looks up each event by its id', async () => {
    const recovered = { maxLost: 5 };
    assert.deepEqual(await explain('recover-leases', recovered), ['dlq_events_pkey']);
    assert.deepEqual(await explain('purge-leases', {}), ['dlq_events_pkey']);
  });

  describe('and a backlog newer than the statistics', () => {
    const maxReads = 500;
    before(async () => {
      await database().sql('delete from dlq_events where is_open');
      await vacuumEvents(database());
      await database().sql(
        `insert into dlq_events (event_type, payload, source_key, status)
         select 'order.created', '{}', case when n < 4000 then 'blocked' else 'key ' || n end,
           case n when 1 then 'FAILED_PERMANENTLY' else 'PENDING' end
         from generate_series(1, 4100) n`,
      );
      await useLanes();
    });
    const read = (name: string, params: object) => countReads(database(), name, { ...lease, ...params });

    for (const isOrdered of [false, true]) {
      it(`picking and leasing 50 of ${isOrdered ? 'an ordered' : 'any'} lane reads fewer than 500 rows`, async () => {
        const picked = await read('pick-due', { groups: groups(isOrdered), max: 50 });
        assert.ok(picked.custom < maxReads && picked.generic < maxReads, JSON.stringify(picked));
        const leased = await read('lease-events', { events: toLease(50) });
        assert.ok(leased.custom < maxReads && leased.generic < maxReads, JSON.stringify(leased));
      });
    }

    it('the walk over lanes reads fewer than 500 rows', async () => {
      const walked = await read('walk-lanes', { ...beforeAll, max: 1000 });
      assert.ok(walked.custom < maxReads && walked.generic < maxReads, JSON.stringify(walked));
    });
  });
});

describe('with 400 keys, each in a lane of its own', () => {
  const database = useDatabase();
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, source_key, id_hashes)
       select 'order.' || n, '{}', 'key ' || n, '' from generate_series(1, 1000) n, generate_series(1, 2) m`,
    );
    await vacuumEvents(database());
  });

  it('the forecast joins the lanes with the events of all keys at once, by any plan: count-due', async () => {
    const lanes = await listLanes(database().db);
    const pairs = lanes.map(({ lane, eventType }) => {
      return { lane, eventType, priority: 0, isOrdered: true, rules: null, isStopped: false };
    });
    const scanned = await countScanned(database(), 'count-due', { pairs, max: 10 });
    assert.ok(scanned > 400 && scanned < 40_000, `${scanned} rows`);
  });

  it('the first event of a key is read once to find it: dlq_blocked_by()', async () => {
    const key = '(select order_key from dlq_events limit 1)';
    const rows = (sql: string) => countRowsRead(database(), 'dlq_events', `select ${sql}`);
    assert.equal((await rows(`dlq_blocked_by(${key}, '', null)`)) - (await rows(key)), 1);
  });
});

describe('with events of a megabyte', () => {
  const database = useDatabase();
  const rules = '{"maxAgeSeconds":3600,"permanentClass":"^(ValidationError$|(?!))"}';
  let lanes: string[] = [];
  before(async () => {
    await database().sql(
      `with message as materialized (
         select to_jsonb(string_agg(md5(part::text), '')) as payload from generate_series(1, 32000) as part)
       insert into dlq_events (event_type, payload, source_key)
       select 'order.created', payload, 'key ' || n from message, generate_series(1, 10) n`,
    );
    await vacuumEvents(database());
    lanes = (await listLanes(database().db)).map(({ lane }) => lane);
  });
  const groups = () =>
    lanes.map((lane) => ({ lane, priority: 0, retryAfter: '-infinity', id: '0', isOrdered: true, rules }));
  const events = Array.from({ length: 10 }, (_, i) => ({ id: `${i + 1}`, isOrdered: true }));
  const statements: Record<string, () => Record<string, unknown>> = {
    'pick-due': () => ({ groups: groups(), max: 10, dueAt }),
    'lease-events': () => ({ ...lease, events }),
    'why-not-now': () => ({ events: events.map((event) => ({ ...event, rules })) }),
  };

  for (const [name, params] of Object.entries(statements)) {
    it(`${name} reads none of their messages`, async () => {
      // The first statements of a session read some pages of the catalog.
      const pages = await countPages(database(), name, params());
      assert.ok(pages > 0 && pages < 600, `${pages} pages`);
    });
  }
});
