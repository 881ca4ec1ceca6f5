import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { periodUpTo, startOfStep } from '../../../shared/counts/periods.ts';
import { type Steps, sumGroupSteps, sumSteps } from '../../../shared/counts/sum-steps.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { countReads, explainReads } from '../../support/plans.ts';

const minuteMs = 60_000;

describe('failures by minute', () => {
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
  const failures = ({ steps }: Steps) => steps.map((each) => [each.step, each.failures]);
  const ofGroup = async (of: ReturnType<typeof period>, fingerprint: string) =>
    failures(await sumGroupSteps(database().db, of, fingerprint));
  beforeEach(() => database().sql('truncate dlq_events, dlq_count_deltas, dlq_error_groups'));

  it('are those of the events, of all or of one error, with those of the period before', async () => {
    for (const minutes of [60, 60, 59, 1, 90]) await fail(minutes, 'v1:a');
    for (const minutes of [59, 30, 61, 121]) await fail(minutes, 'v1:b');

    assert.deepEqual(failures(await sumSteps(database().db, period(60, 1))), [
      [-30, 1],
      [-1, 1],
      [0, 2],
      [1, 2],
      [30, 1],
      [59, 1],
    ]);
    assert.deepEqual(await ofGroup(period(60, 1), 'v1:b'), [
      [-1, 1],
      [1, 1],
      [30, 1],
    ]);
    assert.deepEqual(await ofGroup(period(60, 5), 'v1:a'), [
      [-6, 1],
      [0, 3],
      [11, 1],
    ]);
  });

  it('follow an event to another error, and include those of merged errors', async () => {
    const id = await fail(20, 'v1:a');
    await fail(20, 'v1:c');
    await aggregateCounts(database().db);
    await database().sql(`update dlq_events set fingerprint = 'v1:b' where id = $1`, [id]);
    await aggregateCounts(database().db);
    await database().sql(`update dlq_error_groups set merged_into = 'v1:b' where fingerprint = 'v1:c'`);

    assert.deepEqual(await ofGroup(period(60, 1), 'v1:a'), []);
    assert.deepEqual(await ofGroup(period(60, 1), 'v1:b'), [[40, 2]]);
    const { groups } = await sumSteps(database().db, period(60, 1), 10);
    assert.deepEqual(
      groups.map(({ fingerprint }) => fingerprint),
      ['v1:b'],
    );
  });

  it('have no deliveries: these are counted by hour', async () => {
    await fail(20, 'v1:a');
    const { steps } = await sumSteps(database().db, period(60, 1));
    assert.equal(steps[0]?.deliveries, null);
  });

  it('of the errors with most of them in the period come with their steps, without muted errors', async () => {
    for (const minutes of [70, 30, 30, 2]) await fail(minutes, 'v1:a');
    for (const minutes of [70, 65]) await fail(minutes, 'v1:b');
    for (const minutes of [9, 9, 9, 9]) await fail(minutes, 'v1:muted');
    await fail(5, 'v1:c');
    await aggregateCounts(database().db);
    await database().sql(
      `update dlq_error_groups set state = 'MUTED', muted_until = now() + interval '1 hour' where fingerprint = 'v1:muted'`,
    );
    const { groups } = await sumSteps(database().db, period(60, 1), 10);
    assert.deepEqual(
      groups.map(({ fingerprint, steps }) => [fingerprint, steps.map((each) => [each.step, each.failures])]),
      [
        [
          'v1:a',
          [
            [30, 2],
            [58, 1],
          ],
        ],
        ['v1:c', [[55, 1]]],
      ],
    );
  });
});

describe('with many events, failures by minute', () => {
  const database = useDatabase();
  const params = {
    from: new Date(Date.now() - 2 * 3_600_000),
    since: new Date(Date.now() - 3_600_000),
    until: new Date(Date.now() + minuteMs),
    step: '1 minutes',
    isByHour: false,
    max: 500,
  };
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, fingerprint, created_at, first_failure_at, last_failure_at)
       select 'order.created', '{}', 'v1:' || n % 9, at, at, at
       from generate_series(1, 20000) n cross join lateral (select now() - n * interval '1 second' as at) as time`,
    );
    await database().sql('vacuum analyze dlq_events');
  });

  for (const [name, more] of [
    ['sum-steps', { groups: 10 }],
    ['sum-group-steps', { fingerprint: 'v1:1' }],
  ] as const) {
    it(`are read by the index of last failures, and no more than are wanted: ${name}`, async () => {
      const given = { ...params, ...more };
      const reads = await explainReads(database(), name, given);
      assert.deepEqual(reads, ['dlq_events_failed_at']);
      const texts = {
        from: given.from.toISOString(),
        since: given.since.toISOString(),
        until: given.until.toISOString(),
      };
      const { custom, generic } = await countReads(database(), name, { ...given, ...texts });
      assert.deepEqual([custom, generic], [500, 500]);
    });
  }
});

describe('periods', () => {
  it('have steps that end with a minute, an hour or, by days, with a day in UTC', () => {
    const now = new Date('2026-03-10T17:43:21Z');
    const untils = (['1h', '6h', '24h', '7d', '30d'] as const).map((name) => periodUpTo(now, name));
    assert.deepEqual(
      untils.map(({ until, since, steps, ...period }) => [
        until.toISOString().slice(0, 16),
        startOfStep({ since, ...period }, steps).getTime() - until.getTime(),
      ]),
      [
        '2026-03-10T17:44',
        '2026-03-10T17:45',
        '2026-03-10T18:00',
        '2026-03-10T18:00',
        '2026-03-11T00:00',
      ].map((end) => [end, 0]),
    );
  });
});
