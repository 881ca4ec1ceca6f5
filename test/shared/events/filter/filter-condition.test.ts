import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { messageFacts } from '../../../../shared/delivery/leased-event.ts';
import { freezeFilter, toCondition } from '../../../../shared/events/filter/filter-condition.ts';
import type { Filter } from '../../../../shared/events/filter/filter-schema.ts';
import { anyFilter, anyFilteredEvent, now } from '../../../support/any-filter.ts';
import { useDatabase } from '../../../support/database.ts';
import { type FilteredEvent, matchesFilter } from '../../../support/filter-model.ts';
import { tries } from '../../../support/sample.ts';

describe('the SQL condition of a filter', () => {
  const database = useDatabase();
  const store = async (events: readonly FilteredEvent[]): Promise<FilteredEvent[]> => {
    const rows = events.map((event, i) => ({ ...event, id: `${i + 1}` }));
    await database().clear('dlq_events');
    const names = Object.keys(rows[0] ?? {}).filter((name) => name !== 'payload');
    await database().sql(
      `insert into dlq_events (first_failure_at, payload, ${names})
       select '-infinity', row -> 'payload', ${names.map((name) => `event.${name}`)}
       from jsonb_array_elements($1) as row
       cross join lateral jsonb_populate_record(null::dlq_events, row - 'payload') as event`,
      [JSON.stringify(rows)],
    );
    return rows;
  };
  // Of each run the first event has failed.
  before(() =>
    database().sql(
      `insert into dlq_run_events (run_id, event_id, position, failure_count, status, outcome, settled_at)
       select run, 4 * (run - 1) + n, n, 1, 'PENDING', case n when 1 then 'failed' else 'waiting' end, case n when 1 then now() end
       from generate_series(1, 2) run, generate_series(1, 4) n`,
    ),
  );
  const select = async (filter: Filter) => {
    const { text, values } = toCondition(filter, { now, first: 1 });
    const rows = await database().sql<{ id: string }>(
      `select id from dlq_events as event where ${text} order by id`,
      [...values],
    );
    return rows.map(({ id }) => id);
  };

  it('selects exactly the events that a naive model of the filter selects', async () => {
    const anyEvents = fc.array(anyFilteredEvent, { minLength: 12, maxLength: 12 });
    const anyFilters = fc.array(anyFilter, { minLength: 10, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(anyEvents, anyFilters, async (columns, filters) => {
        const events = await store(columns);
        for (const filter of filters) {
          const expected = events.filter((event) => matchesFilter(filter, event, now.getTime()));
          assert.deepEqual(
            await select(filter),
            expected.map(({ id }) => id),
            JSON.stringify(filter),
          );
        }
      }),
      { numRuns: tries(500) },
    );
  });

  it('keeps its meaning when the filter is frozen', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        const later = new Date(now.getTime() + 1e9);
        const condition = toCondition(filter, { now, first: 1 });

        assert.deepEqual(toCondition(freezeFilter(filter, now), { now: later, first: 1 }), condition);
      }),
    );
  });

  it('numbers its placeholders from a given number', () => {
    const { text, values } = toCondition({ eventType: ['a', 'b*'], errorText: ['5%'] }, { now, first: 7 });

    const types = '(event.event_type = $7::text or event.event_type like any ($8::text[]))';
    assert.equal(text, `${types} and event.error_reason ilike $9::text`);
    assert.deepEqual(values, ['a', ['b%'], String.raw`%5\%%`]);
  });

  it('contains no value of the filter in its text', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        const condition = toCondition(filter, { now, first: 1 });
        const text = condition.text.replaceAll(messageFacts.bytes, 'event.bytes');

        assert.match(text, /^(true|[\w.$():[\]@<>=|&, ]+)$/);
        assert.doesNotMatch(text, /['"\\%]/);
      }),
    );
  });
});
