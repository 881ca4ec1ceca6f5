import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { readOverview, sumSteps } from '../../../shared/counts/overview.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

const minuteMs = 60_000;

describe('counts by minute', () => {
  const database = useDatabase();
  const until = new Date((Math.floor(Date.now() / minuteMs) + 1) * minuteMs);
  const minutesAgo = (minutes: number) => new Date(until.getTime() - minutes * minuteMs);
  const period = (minutes: number, stepMinutes: number) => ({
    since: minutesAgo(minutes),
    before: minutesAgo(2 * minutes),
    until,
    stepMinutes,
  });
  const fail = (minutes: number, fingerprint: string) => {
    const at = minutesAgo(minutes);
    return anEvent(database(), { created_at: at, first_failure_at: at, last_failure_at: at, fingerprint });
  };
  const failures = async (of: ReturnType<typeof period>, fingerprint?: string) =>
    (await sumSteps(database().db, of, fingerprint))
      .filter((each) => each.failures > 0)
      .map((each) => [each.step, each.failures]);
  beforeEach(() => database().clear());

  it('the failures of an hour are known by minute and error group, aggregated or not, with those of the hour before', async () => {
    for (const minutes of [60, 60, 59, 1, 90]) await fail(minutes, 'v1:a');
    await aggregateCounts(database().db);
    for (const minutes of [59, 30, 61]) await fail(minutes, 'v1:b');

    assert.deepEqual(await failures(period(60, 1)), [
      [-30, 1],
      [-1, 1],
      [0, 2],
      [1, 2],
      [30, 1],
      [59, 1],
    ]);
    await aggregateCounts(database().db);
    assert.deepEqual(await failures(period(60, 1), 'v1:b'), [
      [-1, 1],
      [1, 1],
      [30, 1],
    ]);
    assert.deepEqual(await failures(period(60, 5), 'v1:a'), [
      [-6, 1],
      [0, 3],
      [11, 1],
    ]);
  });

  it('an event that moves to another error group takes its minute along', async () => {
    const id = await fail(20, 'v1:a');
    await aggregateCounts(database().db);
    await database().sql(`update dlq_events set fingerprint = 'v1:b' where id = $1`, [id]);
    assert.deepEqual(await failures(period(60, 1), 'v1:a'), []);
    await aggregateCounts(database().db);

    assert.deepEqual(await failures(period(60, 1), 'v1:a'), []);
    assert.deepEqual(await failures(period(60, 1), 'v1:b'), [[40, 1]]);
    assert.deepEqual(await failures(period(60, 1)), [[40, 1]]);
  });

  it('a delivery counts in its minute', async () => {
    const id = await fail(20, 'v1:a');
    await database().sql(`update dlq_events set status = 'SUCCEEDED', processed_at = now() where id = $1`, [
      id,
    ]);
    await aggregateCounts(database().db);

    // Minutes may have passed since the start of this suite.
    const steps = await sumSteps(database().db, { ...period(60, 1), until: minutesAgo(-60) }, 'v1:a');
    const delivered = steps.filter(({ deliveries }) => deliveries > 0);
    assert.equal(delivered.length, 1);
    assert.ok((delivered[0]?.step ?? 0) >= 59);
  });

  it('the errors of an hour are those that failed within it, with their trend by minute and their types', async () => {
    for (const minutes of [70, 30, 30, 2]) await fail(minutes, 'v1:a');
    for (const minutes of [70, 65]) await fail(minutes, 'v1:b');
    await aggregateCounts(database().db);
    await fail(5, 'v1:c');

    const { groups } = await readOverview(database().db, period(60, 1));
    assert.deepEqual(
      groups.map((group) => [group.fingerprint, group.failures, group.failuresBefore, group.eventTypes]),
      [
        ['v1:a', 3, 1, ['order.created']],
        ['v1:c', 1, 0, ['order.created']],
      ],
    );
    assert.deepEqual(groups[0]?.trend, [
      [30, 2],
      [58, 1],
    ]);
  });

  it('minutes are kept for a day, and captures of older events take no more rows than hours', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, created_at, first_failure_at, last_failure_at)
       select 'order.paid', '{}', at, at, at
       from generate_series(date_trunc('hour', now()) - interval '50 hours', date_trunc('hour', now()) - interval '48 hours 1 minute', interval '1 minute') as at`,
    );
    const count = async (table: string) =>
      (await database().sql<{ rows: number }>(`select count(*)::int as rows from ${table}`))[0]?.rows;
    assert.equal(await count('dlq_count_deltas'), 2);
    await database().sql(
      `insert into dlq_counts_minutely values (now() - interval '25 hours', 'v1:a', 1, 0)`,
    );
    await fail(1, 'v1:a');
    await aggregateCounts(database().db);
    assert.equal(await count('dlq_counts_minutely'), 2);
  });
});
