import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { aggregateCounts, purgeCounts } from '../../../shared/counts/aggregate-counts.ts';
import { type PeriodName, periodUpTo } from '../../../shared/counts/periods.ts';
import { listTopGroups, sumSteps } from '../../../shared/counts/sum-steps.ts';
import type { Database } from '../../../shared/database/database.ts';
import { purgeBreakers } from '../../../shared/delivery/breakers.ts';
import { purgeGroups } from '../../../shared/groups/refresh-groups.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { actAs } from '../../support/roles.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the purge of breakers', () => {
  const database = useDatabase();

  it('deletes the rate limits of routes and replays that had no delivery within a week, with the rights of maintain', async () => {
    await database().sql(`insert into dlq_breakers (target, cause, pace, updated_at) values
      ('run 1', -2, 1, now() - interval '8 days'), ('run 2', -2, 1, now() - interval '6 days')`);
    await actAs('dlq_maintain', database(), {
      work: async (db) => assert.deepEqual(await purgeBreakers(db, []), { breakers: 1 }),
    });
    await purgeBreakers(database().db, []);
    assert.deepEqual(await database().sql('select target from dlq_breakers'), [{ target: 'run 2' }]);
    await database().clear('dlq_breakers');
  });

  it('deletes the breakers of causes of which nothing was sent for a week, and of targets that no route names', async () => {
    await database().sql(
      `insert into dlq_breakers (target, cause, updated_at)
       values ('http://a/', 0, '2020-01-01'), ('http://a/', 1, '2020-01-01'), ('http://a/', 2, now()),
         ('http://gone/', 0, '2020-01-01'), ('http://new/', 0, now()), ('http://held/', 0, '2020-01-01'), ('schedule', -1, '2020-01-01')`,
    );
    await database().sql(
      `update dlq_breakers set held_at = now(), held_by = 'ada', held_reason = 'a test', held_until = 'infinity' where target in ('http://held/', 'schedule')`,
    );
    await purgeBreakers(database().db, [aRouteTo('http://a/')]);
    assert.deepEqual(await database().sql('select target, cause from dlq_breakers order by 1, 2'), [
      { target: 'http://a/', cause: '0' },
      { target: 'http://a/', cause: '2' },
      { target: 'http://held/', cause: '0' },
      { target: 'http://new/', cause: '0' },
      { target: 'schedule', cause: '-1' },
    ]);
  });
});

describe('the purge of counts', () => {
  const database = useDatabase();
  const sql = <Row>(text: string) => database().sql<Row>(text);

  it('deletes hours that are older than 400 days', async () => {
    await sql(
      `insert into dlq_counts (hour, event_type, fingerprint, captures) select date_trunc('day', now(), 'UTC') - n * interval '100 days', 'a', '', 1 from generate_series(1, 6) n`,
    );

    assert.equal(await purgeCounts(database().db), 3);
    assert.deepEqual(await sql('select count(hour)::int as hours from dlq_counts'), [{ hours: 3 }]);
  });

  it('adds up the hours of errors, so that charts stay the same', async () => {
    await sql('delete from dlq_counts where hour is not null');
    await sql(
      `insert into dlq_counts
         (hour, event_type, fingerprint, captures, recurrences, retry_failures, deliveries, permanent_failures, discards)
       select date_trunc('hour', now(), 'UTC') - n * interval '1 hour', type, fingerprint, n, 1, 0, 2, 0, 0
       from generate_series(0, 50 * 24) n
       cross join (values ('a', 'v1:0'), ('b', 'v1:1'), (null, null)) as counted (type, fingerprint)`,
    );
    const now = new Date();
    const charts = async (name: PeriodName) => {
      const { db } = database();
      const period = periodUpTo(now, name);
      const ofOne = await sumSteps(db, period, { fingerprint: 'v1:1' });
      return [ofOne, await sumSteps(db, period), await listTopGroups(db, period, 5)];
    };
    const all = async () => [await charts('24h'), await charts('7d'), await charts('30d')];
    const before = await all();
    await purgeCounts(database().db);

    assert.deepEqual(await all(), before);
    const [counted] = await sql<{ ofErrors: number; inAll: number }>(
      `select
         count(fingerprint)::int as "ofErrors",
         (count(*) filter (where fingerprint is null))::int as "inAll"
       from dlq_counts where hour is not null`,
    );
    assert.equal(counted?.inAll, 50 * 24 + 1);
    // Of two errors: hours of eight days and a part of one, and the other days.
    assert.ok((counted?.ofErrors ?? 0) <= 2 * (9 * 24 + 43), `${counted?.ofErrors}`);
    assert.equal(await purgeCounts(database().db), 0);
  });
});

describe('the purge of error groups', () => {
  const database = useDatabase();
  const sql = (text: string) => database().sql(text);
  beforeEach(() => database().clear());

  it('deletes old ones without events that no operator changed', async () => {
    await anEvent(database(), { fingerprint: 'v1:with-events' });
    await aggregateCounts(database().db);
    await sql(
      `insert into dlq_error_groups (fingerprint, first_seen_at, last_seen_at, note, state) values
         ('v1:young', now(), now(), null, 'OPEN'), ('v1:old', '2020-01-01', '2020-01-01', null, 'OPEN'),
         ('v1:noted', '2020-01-01', '2020-01-01', 'see #7', 'OPEN'),
         ('v1:resolved', '2020-01-01', '2020-01-01', null, 'RESOLVED')`,
    );
    await sql(
      `update dlq_error_groups set first_seen_at = '2020-01-01', last_seen_at = '2020-01-01' where fingerprint = 'v1:with-events'`,
    );

    const work = async (db: Database) => assert.equal(await purgeGroups(db), 1);
    await actAs('dlq_maintain', database(), { work });
    await work(database().db);
    assert.deepEqual(await sql(`select from dlq_error_groups where fingerprint = 'v1:old'`), []);
  });

  it('keeps what happened to their events counted, in the order of types', async () => {
    await anEvent(database(), { event_type: 'first', fingerprint: 'v1:old' });
    await aggregateCounts(database().db);
    await anEvent(database(), { event_type: 'second', fingerprint: 'v1:new' });
    await aggregateCounts(database().db);
    await sql(`delete from dlq_events where fingerprint = 'v1:old'`);
    await aggregateCounts(database().db);
    await sql(
      `update dlq_error_groups set first_seen_at = '2020-01-01', last_seen_at = '2020-01-01'
       where fingerprint = 'v1:old'`,
    );
    const counted = () =>
      sql(
        `select event_type, captures::int from dlq_counts
         where hour is null and fingerprint is null and event_type is not null order by counted_since`,
      );
    const before = await counted();
    await purgeGroups(database().db);

    assert.deepEqual(await counted(), before);
    assert.deepEqual(
      await sql(
        `select distinct fingerprint from dlq_counts where hour is null and fingerprint is not null order by 1`,
      ),
      [{ fingerprint: 'v1:new' }],
    );
  });
});
