import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readEvents } from '../../../../functions/console/events/read-events.ts';
import type { ApiDeps, SentRequest } from '../../../../functions/replay/api/operation.ts';
import { listEventsOperation } from '../../../../functions/replay/event-operations.ts';
import type { Database } from '../../../../shared/database/database.ts';
import { toCondition } from '../../../../shared/events/filter/filter-condition.ts';
import { fields } from '../../../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../../../shared/events/filter/filter-schema.ts';
import { firstPosition } from '../../../../shared/events/filter/page-position.ts';
import { parseFilterText } from '../../../../shared/events/filter/parse-filter-text.ts';
import { listEvents } from '../../../../shared/events/list-events.ts';
import { estimateSelection } from '../../../../shared/replay/estimate-selection.ts';
import { claim } from '../../../support/claims.ts';
import { useDatabase } from '../../../support/database.ts';
import { countPageReads, countReadsOf, explainFilter } from '../../../support/plans.ts';
import { aRouteTo } from '../../../support/routes.ts';
import { aRunRequest } from '../../../support/runs.ts';
import { vacuumEvents } from '../../../support/vacuum.ts';

describe('the plan of a filter over a month of history', () => {
  const database = useDatabase();
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, status, processed_at, created_at, first_failure_at, last_failure_at,
         fingerprint, source_key, event_id, trace_id)
       select 'type.' || n % 20, '{}', status, case when status <> 'PENDING' then at end, at, at, at,
         md5((n % 300)::text), 'key-' || n % 9973, 'event-' || n, md5((n / 3)::text)
       from generate_series(1, 8000) n
       cross join lateral (
         select now() - interval '30 days' * (1 - n / 8000.0) as at,
           case when n % 50 = 0 then 'FAILED_PERMANENTLY' when n % 100 = 1 then 'PENDING' else 'SUCCEEDED' end as status
       ) as row`,
    );
    await vacuumEvents(database());
  });
  const explain = async (text: string) => {
    const parsed = parseFilterText(text);
    assert.ok(parsed.ok, text);
    return explainFilter(database(), parsed.value);
  };

  // The planner may choose either of two suitable indexes, with or without a bitmap.
  for (const [text, index] of [
    ['id:7,8,9', /dlq_events_pkey$/],
    ['key:key-7', /dlq_events_id_hashes$/],
    ['event:event-7', /dlq_events_id_hashes$/],
    ['trace:cfcd208495d565ef66e7dff9f98764da', /dlq_events_id_hashes$/],
    ['identifier:key-7', /dlq_events_id_hashes$/],
    [`fingerprint:cfcd208495d565ef66e7dff9f98764da`, /dlq_events_fingerprint$/],
    ['type:type.7 failed:>24h', /dlq_events_failed_at$/],
    ['failed:>24h', /dlq_events_failed_at$/],
    ['captured:>24h', /dlq_events_created_at$/],
    ['status:FAILED_PERMANENTLY type:type.10', /dlq_events_failed_permanently$/],
    ['status:FAILED_PERMANENTLY failed:>24h', /dlq_events_(failed_at|failed_permanently)$/],
    ['status:PENDING', /dlq_events_due$/],
    ['status:PROCESSING', /dlq_events_pkey$/],
  ] as const) {
    it(`uses an index for ${text}`, async () => {
      const reads = await explain(text);
      assert.ok(reads.length > 0 && reads.every((read) => index.test(read)), `${reads}`);
    });
  }

  // No event of this history matches an example that no index answers.
  for (const { example, cost } of fields) {
    it(`reads ${cost === 'index' ? 'few' : 'all'} events for ${example}, whose cost is ${cost}`, async () => {
      const parsed = parseFilterText(example);
      assert.ok(parsed.ok);
      const reads = await countPageReads(database(), parsed.value);
      assert.equal(reads < 4000, cost === 'index', `${reads}`);
    });
  }

  for (const text of [
    'failed:<29d',
    'captured:<29d',
    'type:type.7 failed:<19d failed:>20d',
    'status:FAILED_PERMANENTLY captured:<20d',
  ]) {
    it(`reads a page of a past period without the events after it: ${text}`, async () => {
      const parsed = parseFilterText(text);
      assert.ok(parsed.ok);
      const reads = await countPageReads(database(), parsed.value);
      assert.ok(reads > 0 && reads < 5000, `${reads}`);
    });
  }

  it('counts the failures of a type since yesterday with an index-only scan', async () => {
    const plan = await database().sql(
      `explain (analyze, format json) select count(*) from dlq_events as event
       where event.event_type = 'type.7' and event.last_failure_at >= now() - interval '1 day'`,
    );
    assert.match(
      JSON.stringify(plan),
      /"Index Only Scan",.*"Index Name":"dlq_events_failed_at",.*"Heap Fetches":0/,
    );
  });

  for (const filter of [
    { status: ['FAILED_PERMANENTLY'] },
    { status: ['FAILED_PERMANENTLY'], fingerprint: ['c0c7c76d30bd3dcaefc96f40275bdc0a'] },
  ] satisfies Filter[]) {
    it(`counts for a replay with an index-only scan: ${JSON.stringify(filter)}`, async () => {
      const plans: unknown[] = [];
      const db: Database = {
        ...database().db,
        query: async (query) => {
          const analyze = `explain (analyze, format json) ${query.text}`;
          plans.push(await database().sql(analyze, [...(query.values ?? [])]));
          return database().db.query(query);
        },
      };
      const deps = { db, routes: [aRouteTo('http://shop/')], costLimit: 0 };
      const { selected } = await estimateSelection(deps, aRunRequest({ dryRun: true, filter }));
      assert.ok(selected > 0);
      assert.match(
        JSON.stringify(plans.at(-1)),
        /"Index Only Scan",[^{]*"Index Name":"dlq_events_failed_permanently",[^{]*"Heap Fetches":0/,
      );
    });
  }

  it('finds the first events of an error group without reading the others', async () => {
    const { text, values } = toCondition(
      { fingerprint: ['cfcd208495d565ef66e7dff9f98764da'] },
      { now: new Date(), first: 1 },
    );
    const plan = await database().sql(
      `explain (format json) select * from dlq_events as event where ${text} order by id limit 5`,
      values,
    );
    assert.match(JSON.stringify(plan), /"Index Scan",.*"Index Name":"dlq_events_fingerprint"/);
    assert.doesNotMatch(JSON.stringify(plan), /Sort/);
  });

  it('uses an index for the events that need review, the newest first', async () => {
    const plan = await database().sql('explain (format json) select * from dlq_needs_review limit 50');
    assert.match(
      JSON.stringify(plan),
      /"Scan Direction":"Backward","Index Name":"dlq_events_failed_permanently"/,
    );
    assert.doesNotMatch(JSON.stringify(plan), /Sort/);
  });

  it('writes no index when events are claimed', async () => {
    const updates = async () =>
      (
        await database().sql<{ all: number; hot: number }>(
          `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'dlq_events'`,
        )
      )[0];
    const before = await updates();
    const claimed = await claim(database(), { limit: 200 });
    await database().db.query({ text: 'select pg_stat_force_next_flush()' });

    const after = await updates();
    assert.deepEqual([claimed.length, (after?.hot ?? 0) - (before?.hot ?? 0)], [80, 80]);
  });
});

describe('of 8,000 events, of which the first 1,000 are the open ones of a frequent type', () => {
  const database = useDatabase();
  const filter: Filter = { status: ['PENDING', 'PROCESSING'], eventType: ['frequent'] };
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, status, processed_at)
       select case when n <= 4000 then 'frequent' else 'other' end, '{}', '',
         case when n <= 1000 then 'PENDING' else 'SUCCEEDED' end, case when n > 1000 then now() end
       from generate_series(1, 8000) n`,
    );
    await vacuumEvents(database());
  });

  it('a list of all that an action would change reads these, and not all that are newer', async () => {
    const latest = { ...firstPosition, max: 10, readsAll: true };
    const reads = await countReadsOf(database(), (db) => listEvents(db, filter, latest));
    // A bitmap and the table.
    assert.ok(reads >= 1000 && reads <= 2000, `${reads}`);
  });

  it('a page reads these after the latest 1,000 of all, and none between them', async () => {
    const walk = { filter, isArchived: false, position: firstPosition };
    const deps = { costLimit: 0, readMs: 600_000 } as Parameters<typeof readEvents>[0];
    const reads = await countReadsOf(database(), (db) => readEvents({ ...deps, db }, walk));
    // Of the latest, it reads the last one, and then all.
    assert.ok(reads >= 2000 && reads < 5000, `${reads}`);
  });

  it('the API reads none for a status that no event of a type has', async () => {
    const query = new URLSearchParams({ q: 'status:DISCARDED type:frequent' });
    const request = { query, params: {}, now: new Date(), caller: { isOperator: true } };
    const deps = { routes: [], costLimit: 0 } as unknown as ApiDeps;
    const reads = await countReadsOf(database(), async (db) => {
      const answer = await listEventsOperation.handle({ ...deps, db }, request as unknown as SentRequest);
      assert.deepEqual(answer, { body: { items: [], next: null } });
    });
    assert.equal(reads, 0);
  });
});
