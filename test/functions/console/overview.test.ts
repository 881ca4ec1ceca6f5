import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readOverview } from '../../../functions/console/overview/read-overview.ts';
import { foldCounts } from '../../../shared/fold-counts.ts';
import { useDatabase } from '../../support/database.ts';

const hourMs = 3_600_000;
const noon = Date.parse('2026-03-10T12:00:00Z');

type Happening = {
  readonly hour: number;
  readonly type: string;
  readonly fingerprint: string;
  readonly failures: number;
  readonly deliveries: number;
};

const anyHappening: fc.Arbitrary<Happening> = fc.record({
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

describe('the overview of any range', () => {
  const database = useDatabase();
  const count = (happenings: readonly Happening[]) =>
    database().sql(
      `insert into dlq_changes
       select to_timestamp(hour), type, fingerprint, null, 0, 0, 0, 0, 0, failures, 0, 0, deliveries, 0, 0, null,
         to_timestamp(hour), to_timestamp(hour)
       from json_to_recordset($1) as happened (hour float, type text, fingerprint text, failures int, deliveries int)`,
      [JSON.stringify(happenings.map((each) => ({ ...each, hour: (noon + each.hour * hourMs) / 1000 })))],
    );

  it('tells exactly what happened in each of its hours, folded or not, wherever days begin in it', async () => {
    const some = fc.array(anyHappening, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(some, some, anyRange, async (folded, fresh, { start, hours, steps }) => {
        await database().sql('truncate dlq_changes, dlq_counts, dlq_hour_counts, dlq_day_counts');
        await count(folded);
        await foldCounts(database().db);
        await count(fresh);
        const within = (from: number, length: number) =>
          [...folded, ...fresh].filter(({ hour }) => hour >= from && hour < from + length);
        const at = (hour: number) => new Date(noon + hour * hourMs);
        const length = hours * steps;
        const told = await readOverview(database().db, {
          name: '24h',
          words: 'a while',
          since: at(start),
          until: at(start + length),
          before: at(start - length),
          hours,
          steps,
        });

        const now = within(start, length);
        const stepOf = ({ hour }: Happening) => Math.floor((hour - start) / hours);
        assert.deepEqual(told.steps.filter(isCounted), sumSteps(now, stepOf));
        assert.deepEqual(
          told.stepsBefore.filter(isCounted),
          sumSteps(within(start - length, length), stepOf),
        );
        assert.deepEqual(
          told.groups.map((group) => [group.fingerprint, group.failures, group.failures_before]),
          rankGroups(now, within(start - length, length)),
        );
        const trends = told.groups.flatMap(({ trend }) => trend ?? []);
        assert.equal(sum(trends.map(([, failures]) => failures)), sum(now.map(({ failures }) => failures)));
      }),
      { numRuns: 60 },
    );
  });
});

function sumSteps(happenings: readonly Happening[], stepOf: (happening: Happening) => number) {
  const steps = [...new Set(happenings.filter(isCounted).map(stepOf))].sort((a, b) => a - b);
  return steps.map((step) => {
    const of = happenings.filter((each) => stepOf(each) === step);
    return {
      step,
      failures: sum(of.map(({ failures }) => failures)),
      deliveries: sum(of.map(({ deliveries }) => deliveries)),
    };
  });
}

function rankGroups(now: readonly Happening[], before: readonly Happening[]) {
  const failuresOf = (happenings: readonly Happening[], fingerprint: string) =>
    sum(happenings.filter((each) => each.fingerprint === fingerprint).map(({ failures }) => failures));
  return [...new Set(now.map(({ fingerprint }) => fingerprint))]
    .map((name) => [name, failuresOf(now, name), failuresOf(before, name)] as const)
    .filter(([, failures]) => failures > 0)
    .sort(([a, more], [b, fewer]) => fewer - more || (a < b ? -1 : 1));
}

/** What neither failed nor delivered anything may be told or left out. */
function isCounted({ failures, deliveries }: Pick<Happening, 'failures' | 'deliveries'>): boolean {
  return failures + deliveries > 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
