import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { hoursOf, periodUpTo, startOfStep } from '../../../shared/counts/periods.ts';
import { listTopGroups, sumSteps } from '../../../shared/counts/sum-steps.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { countReads, explainReads } from '../../support/plans.ts';
import { vacuumEvents } from '../../support/vacuum.ts';

const minuteMs = 60_000;

describe('failures by minute', () => {
  const database = useDatabase();
  const until = new Date((Math.floor(Date.now() / minuteMs) + 1) * minuteMs);
  const minutesAgo = (minutes: number) => new Date(until.getTime() - minutes * minuteMs);
  const period = (minutes: number, stepMinutes: number) => ({
    since: minutesAgo(minutes),
    until,
    stepMinutes,
    steps: minutes / stepMinutes,
  });
  const fail = (minutes: number) => {
    const at = minutesAgo(minutes);
    return anEvent(database(), { created_at: at, first_failure_at: at, last_failure_at: at });
  };
  const read = async (minutes: number, stepMinutes: number, max?: number) => {
    const { steps, ...about } = await sumSteps(database().db, period(minutes, stepMinutes), { max });
    return { ...about, steps: steps.map((each) => [each.step, each.failures]) };
  };
  beforeEach(() => database().clear());

  it('are those of the events, without those of the period before', async () => {
    for (const minutes of [60, 60, 59, 59, 30, 1, 61, 90, 121]) await fail(minutes);

    assert.deepEqual((await read(60, 1)).steps, [
      [0, 2],
      [1, 2],
      [30, 1],
      [59, 1],
    ]);
    assert.deepEqual((await read(60, 5)).steps, [
      [0, 4],
      [6, 1],
      [11, 1],
    ]);
  });

  it('have no deliveries: these are counted by hour', async () => {
    await fail(20);
    const { steps } = await sumSteps(database().db, period(60, 1));
    assert.equal(steps[0]?.deliveries, null);
  });

  it('are the latest ones of a flood, and say so', async () => {
    // Without triggers: their counts by hour are not read here.
    const failMany = (events: number, minutes: number) => {
      const at = `'${minutesAgo(minutes).toISOString()}'`;
      return database().sql(
        `set local session_replication_role = replica;
         insert into dlq_events (event_type, payload, created_at, first_failure_at, last_failure_at)
         select 'order.created', 'null', ${at}, ${at}, ${at} from generate_series(1, ${events})`,
      );
    };
    await failMany(1001, 70);
    await failMany(7, 50);
    assert.deepEqual(await read(60, 1, 1000), { isExact: true, steps: [[10, 7]] });
    await failMany(1000, 40);
    assert.deepEqual(await read(60, 1, 1000), { isExact: false, steps: [[20, 1000]] });
  });
});

describe('with many events, failures by minute', () => {
  const database = useDatabase();
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, created_at, first_failure_at, last_failure_at)
       select 'order.created', '{}', '', at, at, at
       from generate_series(1, 8000) n
       cross join lateral (select now() - n * interval '1 second' as at) as time`,
    );
    await vacuumEvents(database());
  });

  it('are read from the index of last failures, and no more than are wanted', async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * minuteMs).toISOString();
    const times = { since: hoursAgo(1), until: hoursAgo(-1) };
    const params = { ...times, step: '1 minutes', fingerprint: null, isByHour: false, max: 500 };
    assert.deepEqual(await explainReads(database(), 'sum-steps', params), ['dlq_events_failed_at']);
    assert.deepEqual(await countReads(database(), 'sum-steps', params), { custom: 500, generic: 500 });
  });
});

describe('the errors with most failures of a period', () => {
  const database = useDatabase();
  const now = new Date();
  const count = (fingerprint: string, hoursAgo: number, captures: number) =>
    database().sql(
      `insert into dlq_counts
         (hour, event_type, fingerprint, captures, recurrences, retry_failures, deliveries, permanent_failures, discards)
       select
         date_trunc('hour', $3::timestamptz, 'UTC') - make_interval(hours => $2), 'order.created', $1, $4,
         0, 0, 0, 0, 0`,
      [fingerprint, hoursAgo, now, captures],
    );

  it('have their failures by step, with those of merged errors, and without muted ones', async () => {
    await count('v1:a', 0, 2);
    await count('v1:a', 23, 1);
    await count('v1:a', 24, 50);
    await count('v1:merged', 23, 3);
    await count('v1:b', 5, 4);
    await count('v1:muted', 5, 9);
    await count('v1:few', 5, 1);
    await database().sql(
      `insert into dlq_error_groups
         (fingerprint, state, first_seen_at, last_seen_at, merged_into, muted_until) values
         ('v1:a', 'OPEN', now(), now(), null, null), ('v1:merged', 'OPEN', now(), now(), 'v1:a', null),
         ('v1:b', 'OPEN', now(), now(), null, null), ('v1:few', 'OPEN', now(), now(), null, null),
         ('v1:muted', 'MUTED', now(), now(), null, now())`,
    );
    const groups = await listTopGroups(database().db, periodUpTo(now, '24h'), 2);
    assert.deepEqual(
      groups.map(({ fingerprint, steps }) => [fingerprint, steps.map((each) => [each.step, each.failures])]),
      [
        [
          'v1:a',
          [
            [0, 4],
            [23, 2],
          ],
        ],
        ['v1:b', [[18, 4]]],
      ],
    );
  });

  it('have no failure that has moved to another error', async () => {
    await database().clear();
    for (const fingerprint of ['v1:a', 'v1:a', 'v1:a']) await anEvent(database(), { fingerprint });
    await database().sql(`update dlq_events set fingerprint = 'v1:b'
      where id = (select min(id) from dlq_events)`);
    const [top] = await listTopGroups(database().db, periodUpTo(now, '24h'), 1);
    assert.deepEqual([top?.fingerprint, top?.steps[0]?.failures], ['v1:a', 2]);
  });
});

describe('periods', () => {
  it('have steps of UTC: minutes, hours, six hours and days', () => {
    const now = new Date('2026-03-10T17:43:21Z');
    const ends = {
      '1h': '2026-03-10T17:44',
      '6h': '2026-03-10T17:45',
      '24h': '2026-03-10T18:00',
      '7d': '2026-03-10T18:00',
      '30d': '2026-03-11T00:00',
    } as const;
    for (const name of ['1h', '6h', '24h', '7d', '30d'] as const) {
      const period = periodUpTo(now, name);
      assert.equal(period.until.toISOString().slice(0, 16), ends[name]);
      assert.deepEqual(startOfStep(period, period.steps), period.until);
    }
  });

  it('by hour are the clock hours that they touch', () => {
    const hours = (now: string, name: '1h' | '6h' | '7d') => {
      const { since, until, steps, stepMinutes } = hoursOf(periodUpTo(new Date(now), name));
      return [...[since, until].map((time) => time.toISOString().slice(8, 16)), steps, stepMinutes];
    };
    assert.deepEqual(hours('2026-03-10T17:43:21Z', '1h'), ['10T16:00', '10T18:00', 2, 60]);
    assert.deepEqual(hours('2026-03-10T17:59:30Z', '1h'), ['10T17:00', '10T18:00', 1, 60]);
    assert.deepEqual(hours('2026-03-10T17:43:21Z', '6h'), ['10T11:00', '10T18:00', 7, 60]);
    assert.deepEqual(hours('2026-03-10T17:43:21Z', '7d').slice(2), [28, 360]);
  });
});
