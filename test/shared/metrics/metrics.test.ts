import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { listKnownTargets, readBreakers } from '../../../shared/delivery/breakers.ts';
import { formatMetrics, listMetrics } from '../../../shared/metrics/format-metrics.ts';
import { measure } from '../../../shared/metrics/measure.ts';
import { metrics as defined } from '../../../shared/metrics/metrics.ts';
import { changeRun } from '../../../shared/replay/run.ts';
import { holdTarget, pauseSchedule, stopEverything } from '../../../shared/targets/change-hold.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { readMetrics } from '../../support/read-metrics.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('the metrics', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql(text, values);
  const routes = [aRouteTo('http://shop/', { match: { eventType: 'order.*' } })];
  const metrics = async () => listMetrics(await measure(database().db, routes));
  const scrape = async () => readMetrics(formatMetrics(await measure(database().db, routes)));
  const anHourAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  beforeEach(() => database().clear());

  it('are each measured after the first tick', async () => {
    await anEvent(database());
    await sql(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped) values ('schedule', now(), now(), 'nothing due')`,
    );
    await sql(`insert into dlq_breakers (target) values ('http://shop/')`);
    await sql(
      `insert into dlq_error_groups (fingerprint, state, first_seen_at, last_seen_at) values ('v1:a', 'OPEN', now(), now())`,
    );
    await aggregateCounts(database().db);
    const measured = new Set((await measure(database().db, routes)).map(({ name }) => name as string));

    assert.deepEqual(
      Object.keys(defined).filter((name) => !measured.has(name)),
      [],
    );
  });

  it('have an age for an open event without a finite time', async () => {
    await anEvent(database(), { created_at: '-infinity' });
    const { oldest_pending_seconds: age = 0 } = await metrics();
    assert.ok(Number.isFinite(age) && age > 56 * 31_536_000, `${age}`);
  });

  it('count events by status, aggregated or not', async () => {
    for (const status of [
      'PENDING',
      'PENDING',
      'PROCESSING',
      'SUCCEEDED',
      'FAILED_PERMANENTLY',
      'DISCARDED',
    ]) {
      await anEvent(database(), { status });
    }
    const expected = [2, 1, 1, 1, 1];
    const read = async () => {
      const { depth_pending, depth_processing, depth_succeeded, depth_failed_permanently, depth_discarded } =
        await metrics();
      return [depth_pending, depth_processing, depth_succeeded, depth_failed_permanently, depth_discarded];
    };

    assert.deepEqual(await read(), expected);
    await aggregateCounts(database().db);
    assert.deepEqual(await read(), expected);
  });

  it('have the age of the oldest open event of each type, 0 if all are closed', async () => {
    await anEvent(database(), { created_at: anHourAgo(2) });
    await anEvent(database(), { created_at: anHourAgo(9), status: 'SUCCEEDED' });
    await anEvent(database(), { event_type: 'order.paid', created_at: anHourAgo(5) });
    await anEvent(database(), { event_type: 'order.done', status: 'SUCCEEDED' });
    await aggregateCounts(database().db);
    const scraped = await scrape();
    const hours = (type: string) =>
      Math.round((scraped.get(`dead_letter_age_seconds{event_type="${type}"}`) ?? -1) / 3600);

    assert.deepEqual(['order.created', 'order.paid', 'order.done'].map(hours), [2, 5, 0]);
    assert.equal(Math.round(((await metrics()).oldest_pending_seconds ?? 0) / 3600), 5);
  });

  it('count the last hour and day only', async () => {
    await anEvent(database());
    await aggregateCounts(database().db);
    await sql(
      `insert into dlq_counts
         (hour, event_type, fingerprint, captures, recurrences, retry_failures, deliveries, permanent_failures, discards)
       select date_trunc('hour', now(), 'UTC') - ago, null, null, captures, 0, 0, delivered, failed, 0
       from (values (interval '12 hours', 10, 8, 2), (interval '24 hours', 99, 99, 99))
         as counted (ago, captures, delivered, failed)`,
    );
    const { captured_1h, captured_24h, delivered_24h, failed_permanently_24h, permanent_failure_ratio } =
      await metrics();

    assert.deepEqual([captured_1h, captured_24h, delivered_24h, failed_permanently_24h], [1, 11, 8, 2]);
    assert.equal(permanent_failure_ratio, 0.2);
  });

  it('compare the captures of the last hour with the usual rate of their type', async () => {
    const hourly = (eventType: string, hoursAgo: number, captures: number) =>
      sql(
        `insert into dlq_counts
           (hour, event_type, fingerprint, captures, recurrences, retry_failures, deliveries, permanent_failures, discards)
         select date_trunc('hour', now(), 'UTC') - make_interval(hours => $2), $1, '', $3, 0, 0, 0, 0, 0`,
        [eventType, hoursAgo, captures],
      );
    for (let hour = 2; hour < 170; hour++) await hourly('order.created', hour, 1000);
    await hourly('order.created', 0, 2000);
    assert.equal(Math.round((await metrics()).inflow_ratio ?? 0), 2);

    await hourly('invoice.created', 0, 5000);
    assert.equal(Math.round((await metrics()).inflow_ratio ?? 0), 50);
  });

  it('count expired leases, and those that had expired when the schedule last asked for a tick', async () => {
    for (const minutes of [-30, -5, 5]) {
      const lease_expires_at = new Date(Date.now() + minutes * 60_000);
      await anEvent(database(), { status: 'PROCESSING', lease_token: crypto.randomUUID(), lease_expires_at });
    }
    // Another tick has been running for an hour.
    await sql(
      `insert into dlq_runs (trigger, started_at, due_at)
       values ('schedule', now() - interval '1 hour', now() - interval '10 minutes')`,
    );
    const { expired_leases, stuck_events } = await metrics();

    assert.deepEqual([expired_leases, stuck_events], [2, 1]);
  });

  it('have the delay of retries and the number of events without a route', async () => {
    await anEvent(database(), { retry_after: anHourAgo(3) });
    await anEvent(database(), { retry_after: anHourAgo(9), status: 'SUCCEEDED' });
    await anEvent(database(), { retry_after: anHourAgo(20), event_type: 'invoice.created' });
    const { retry_lag_seconds = 0, unrouted_events } = await metrics();

    assert.deepEqual([Math.round(retry_lag_seconds / 3600), unrouted_events], [3, 1]);
  });

  it('have the events of held targets and of paused replays', async () => {
    await manyEvents(database(), 3);
    const { id: runId } = await aRun({ db: database().db, routes });
    await changeRun(database().db, 'pause', { runId, actor: 'ada', reason: null });
    await holdTarget(
      { db: database().db, routes },
      { target: 'http://shop/', actor: 'ada', reason: 'a test' },
    );
    const { held_events, paused_run_events } = await metrics();

    assert.deepEqual([held_events, paused_run_events], [3, 3]);
  });

  it('have the time since they were first measured as age of the last tick, before the first', async () => {
    await metrics();
    await sql(`update dlq_jobs set known_since = now() - interval '90 s'`);
    const { last_tick_age_seconds: age, last_tick_duration_seconds: duration } = await metrics();
    assert.deepEqual([Math.round(age ?? 0), duration], [90, undefined]);
  });

  it('have age and duration of the last tick', async () => {
    await sql(
      `insert into dlq_runs (trigger, started_at, ended_at, stopped, tally) values
         ('schedule', now() - interval '70 s', now() - interval '60 s', 'nothing due', '{"stale": 3}'),
         ('schedule', now() - interval '30 s', now() - interval '28 s', 'failed', '{"stale": 1}')`,
    );
    const measured = await metrics();

    assert.equal(Math.round(measured.last_tick_age_seconds ?? 0), 60);
    assert.deepEqual([measured.last_tick_duration_seconds, measured.longest_run_seconds], [2, 10]);
    assert.equal(measured.stale_settlements, 4);
  });

  it('count breakers and error groups by state', async () => {
    await sql(
      `insert into dlq_breakers (target, state, opened_at, probe_after) values
         ('http://shop/', 'OPEN', now(), now()), ('http://mail/', 'CLOSED', null, null)`,
    );
    await sql(
      `insert into dlq_error_groups (fingerprint, state, first_seen_at, last_seen_at) values
         ('v1:a', 'OPEN', now(), now()), ('v1:b', 'REGRESSED', '2020-01-01', now())`,
    );
    const { breakers_open, groups_open, groups_regressed, new_error_groups } = await metrics();

    assert.deepEqual([breakers_open, groups_open, groups_regressed, new_error_groups], [1, 1, 1, 1]);
    const scraped = await scrape();
    assert.equal(scraped.get('dead_letter_breaker_state{target="http://shop/"}'), 2);
    assert.equal(scraped.get('dead_letter_error_groups{state="REGRESSED"}'), 1);
  });

  it('name no hold of the schedule, and no stop of everything, as a target', async () => {
    const by = { actor: 'ada', reason: 'an incident' };
    const deps = { db: database().db, routes: [aRouteTo('http://shop/')] };
    await pauseSchedule(deps.db, by);
    await stopEverything(deps, by);
    const names = [...(await scrape()).keys()].filter((name) => name.includes('breaker_state'));
    assert.deepEqual(names, ['dead_letter_breaker_state{target="http://shop/"}']);
    assert.deepEqual(listKnownTargets([], await readBreakers(deps.db)), ['http://shop/']);
  });

  it('count error groups that were new, or failed again, within an hour', async () => {
    await sql(
      `insert into dlq_error_groups (fingerprint, state, first_seen_at, last_seen_at, state_changed_at) values
         ('v1:new', 'ACKNOWLEDGED', now() - interval '59 min', now(), now()),
         ('v1:older', 'OPEN', now() - interval '61 min', now(), now()),
         ('v1:again', 'REGRESSED', '2020-01-01', now(), now() - interval '59 min'),
         ('v1:before', 'REGRESSED', '2020-01-01', now(), now() - interval '61 min')`,
    );
    const { groups_new_1h, groups_regressed_1h } = await metrics();

    assert.deepEqual([groups_new_1h, groups_regressed_1h], [1, 1]);
  });

  it('have the connections and the age of the oldest transaction', async () => {
    await whileTransactionIsOpen(database().url, 'select pg_sleep(0.05)', async () => {
      const {
        database_connections = 0,
        database_max_connections,
        database_oldest_transaction_seconds = 0,
      } = await metrics();

      assert.ok(database_connections >= 2 && database_oldest_transaction_seconds >= 0.05);
      assert.equal(database_max_connections, 200);
    });
  });

  it('have counters that archiving and purging never decrease', async () => {
    await manyEvents(database(), 10);
    await aggregateCounts(database().db);
    await sql('delete from dlq_events');
    await sql('delete from dlq_counts where hour is not null');
    await aggregateCounts(database().db);

    assert.equal((await scrape()).get('dead_letter_total{event_type="order.created"}'), 10);
  });
});
