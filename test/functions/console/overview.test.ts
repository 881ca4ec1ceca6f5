import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { listTopGroups, type Step, sumSteps, sumUp } from '../../../shared/counts/sum-steps.ts';
import { causeOf } from '../../../shared/delivery/cause.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { holdTarget } from '../../../shared/targets/change-hold.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { tries } from '../../support/sample.ts';

const hourMs = 3_600_000;
const noon = Date.parse('2026-03-10T12:00:00Z');

type CountedHour = {
  readonly hour: number;
  readonly type: string;
  readonly fingerprint: string;
  readonly failures: number;
  readonly deliveries: number;
};

const anyCountedHour: fc.Arbitrary<CountedHour> = fc.record({
  hour: fc.integer({ min: -100, max: 60 }),
  type: fc.constantFrom('order.created', 'order.paid'),
  fingerprint: fc.constantFrom('v1:a', 'v1:b', 'v1:c', 'v1:d'),
  failures: fc.integer({ min: 0, max: 9 }),
  deliveries: fc.integer({ min: 0, max: 9 }),
});

const anyRange = fc.record({
  start: fc.integer({ min: -60, max: 30 }),
  hours: fc.constantFrom(1, 6, 24),
  steps: fc.integer({ min: 1, max: 30 }),
});

describe('overview counts', () => {
  const database = useDatabase();
  const count = (counted: readonly CountedHour[]) =>
    database().sql(
      `insert into dlq_count_deltas
       select to_timestamp(hour), type, fingerprint, 0, 0, 0, 0, 0, failures, 0, 0, deliveries, 0, 0, null,
         to_timestamp(hour), to_timestamp(hour)
       from json_to_recordset($1) as happened (hour float, type text, fingerprint text, failures int, deliveries int)`,
      [JSON.stringify(counted.map((each) => ({ ...each, hour: (noon + each.hour * hourMs) / 1000 })))],
    );

  it('the overview counts every failure and delivery of a period, aggregated or not, across day boundaries', async () => {
    const some = fc.array(anyCountedHour, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(some, some, anyRange, async (aggregated, fresh, { start, hours, steps }) => {
        await database().clear('dlq_count_deltas', 'dlq_counts');
        await count(aggregated);
        await aggregateCounts(database().db);
        await count(fresh);
        const within = (from: number, length: number) =>
          [...aggregated, ...fresh].filter(({ hour }) => hour >= from && hour < from + length);
        const at = (hour: number) => new Date(noon + hour * hourMs);
        const length = hours * steps;
        const period = {
          since: at(start),
          until: at(start + length),
          stepMinutes: hours * 60,
          steps,
        };
        const chart = await sumSteps(database().db, period);
        const groups = await listTopGroups(database().db, period, 10);

        const now = within(start, length);
        const stepOf = ({ hour }: CountedHour) => Math.floor((hour - start) / hours);
        assert.deepEqual(chart.steps.filter(isCounted), addUp(now, stepOf));
        assert.deepEqual(
          groups.map((group) => [group.fingerprint, sumUp(group.steps, 'failures')]),
          rankGroups(now),
        );
      }),
      { numRuns: tries(60) },
    );
  });
});

describe('the overview of failures whose events are deleted', () => {
  const database = useDatabase();
  const served = useConsole(database);

  for (const [when, whileStored] of [
    ['before they are aggregated', async () => {}],
    ['later', () => refresh(database().db)],
  ] as const) {
    it(`still shows their error: ${when}`, async () => {
      await database().clear('dlq_count_deltas', 'dlq_counts', 'dlq_error_groups');
      await anEvent(database(), { fingerprint: 'v2:deleted' });
      await whileStored();
      await database().sql('delete from dlq_events');
      for (const range of ['24h', '7d', '30d']) {
        const page = await fetch(`${served().url}/?range=${range}`);
        assert.equal(page.status, 200, range);
        assert.match(await page.text(), /href="groups\/v2%3Adeleted"/, range);
      }
    });
  }
});

describe('the overview of what needs a person', () => {
  const database = useDatabase();
  const routes = [
    { ...aRouteTo('http://ledger/', { match: { eventType: 'ledger.*' } }), ordered: true },
    aRouteTo('http://mail/', { match: { eventType: 'mail.*' } }),
  ];
  const served = useConsole(database, { routes, failingHours: 24 });
  const read = async () => (await fetch(`${served().url}/`)).text();

  for (const [age, says] of [
    ['2 hours', '1 fails by itself'],
    ['2 days', '1 needs review'],
  ])
    it(`names what fails by itself: ${says} after ${age}`, async () => {
      await database().clear();
      const cause = causeOf('http://mail/', 'HTTP 500');
      await anEvent(database(), { event_type: 'mail.sent', cause });
      await database().sql(
        `insert into dlq_breakers (target, cause, state, answer, cooldown_seconds, probe_after, opened_at)
         values ('http://mail/', $1, 'OPEN', 'HTTP 500', 60, now(), now() - $2::interval)`,
        [cause, age],
      );
      assert.match(await read(), new RegExp(`>${says}<.*1 event waits: its cause fails by itself`, 's'));
      await database().clear();
    });

  for (const [retryAfter, says] of [
    ['now', 'the next tick probes it'],
    ['tomorrow', 'no event is due to probe it with'],
  ])
    it(`says of a target that is down and may be probed: ${says}`, async () => {
      await database().clear();
      await anEvent(database(), { event_type: 'mail.sent', retry_after: retryAfter });
      await database().sql(
        `insert into dlq_breakers (target, cause, state, answer, cooldown_seconds, probe_after, opened_at)
         values ('http://mail/', 0, 'OPEN', 'HTTP 503', 60, now() - interval '1 s', now())`,
      );
      assert.match(await read(), new RegExp(`is down: began .*, ${says}\\.`));
      await database().clear();
    });

  it('says that nothing needs one while the schedule retries all that is open', async () => {
    await anEvent(database(), { event_type: 'mail.sent', fingerprint: 'v1:mail' });
    await refresh(database().db);
    assert.match(await read(), /Nothing needs you\..*1 event is open, to be sent again/s);
  });

  it('leads with one sentence, and has one action for each problem', async () => {
    const failed = { event_type: 'ledger.booked', source_key: 'A-7', status: 'FAILED_PERMANENTLY' };
    const poison = await anEvent(database(), { ...failed, fingerprint: 'v1:negative' });
    await anEvent(database(), { event_type: 'ledger.booked', source_key: 'A-7' });
    await anEvent(database(), { event_type: 'invoice.created' });
    await holdTarget(
      { db: database().db, routes },
      { target: 'http://mail/', actor: 'ann', reason: 'moving' },
    );
    await refresh(database().db);
    const page = await read();

    assert.match(page, /1 target held · 1 event blocked by a key · 1 without a route · 1 needs a decision</);
    assert.match(
      page,
      /is held: began .*, by ann: moving\. 1 event waits\..*href="targets\/http[^"]*">Release…/s,
    );
    assert.match(page, new RegExp(`behind ledger\\.booked <a href="events/${poison}">.*\\(key A-7\\)`, 's'));
    assert.match(page, /class="button" href="groups\/v1%3Anegative">Decide…/);
    assert.match(page, /href="targets#without-a-route">Make a route…/);
  });

  it('names the first event of a key while it waits for its retry, and not once the next tick sends it', async () => {
    const first = await anEvent(database(), { event_type: 'ledger.paid', source_key: 'B-1' });
    await anEvent(database(), { event_type: 'ledger.paid', source_key: 'B-1' });
    assert.doesNotMatch(await read(), new RegExp(`events/${first}"`));

    await database().sql("update dlq_events set retry_after = now() + interval '1 hour' where id = $1", [
      first,
    ]);
    assert.match(
      await read(),
      new RegExp(`1 event waits behind ledger\\.paid <a href="events/${first}">.*Its next retry is`, 's'),
    );
  });

  it('folds the errors of which no event is left', async () => {
    await anEvent(database(), { status: 'SUCCEEDED', processed_at: new Date(), fingerprint: 'v1:done' });
    await refresh(database().db);
    const [, folded = ''] = (await read()).split(/<details[^>]*><summary>1 finished error/);
    assert.match(folded, /groups\/v1%3Adone/);
  });

  it('folds the targets of an outage behind the first five, and counts all of them', async () => {
    await database().sql('delete from dlq_breakers');
    await database().sql(
      `insert into dlq_breakers (target, held_at, held_by, held_reason, held_until)
       select 'http://shop-' || n || '/', now(), 'ann', 'moving', 'infinity' from generate_series(1, 40) n`,
    );
    const page = await read();
    const [shown = '', folded = ''] = page.split('<summary>35 more problems of these kinds');
    assert.match(shown, /40 targets held/);
    assert.equal(shown.split('>Release…<').length - 1, 5);
    assert.equal(folded.split('>Release…<').length - 1, 35);
    await database().sql('delete from dlq_breakers');
  });

  it('names more than 10,000 kinds of events', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, fingerprint)
       select 'mail.' || n, '{}', '', 'v1:mail' from generate_series(1, 10001) n`,
    );
    assert.match(await read(), /More than 10,000 kinds of events wait, such as .*mail\.\d+.*Show them/s);
  });
});

function addUp(counted: readonly CountedHour[], stepOf: (counted: CountedHour) => number): Step[] {
  const steps = [...new Set(counted.filter(isCounted).map(stepOf))].sort((a, b) => a - b);
  return steps.map((step) => {
    const of = counted.filter((each) => stepOf(each) === step);
    return {
      step,
      failures: sum(of.map(({ failures }) => failures)),
      deliveries: sum(of.map(({ deliveries }) => deliveries)),
    };
  });
}

function rankGroups(counted: readonly CountedHour[]) {
  const failuresOf = (fingerprint: string) =>
    sum(counted.filter((each) => each.fingerprint === fingerprint).map(({ failures }) => failures));
  return [...new Set(counted.map(({ fingerprint }) => fingerprint))]
    .map((name) => [name, failuresOf(name)] as const)
    .filter(([, failures]) => failures > 0)
    .sort(([a, more], [b, fewer]) => fewer - more || (a < b ? -1 : 1));
}

/** An idle step may be listed or omitted. */
function isCounted({ failures, deliveries }: Pick<Step, 'failures' | 'deliveries'>): boolean {
  return failures + (deliveries ?? 0) > 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
