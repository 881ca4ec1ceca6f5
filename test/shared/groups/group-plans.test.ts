import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Database } from '../../../shared/database/database.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { useDatabase } from '../../support/database.ts';
import { firstGroups } from '../../support/group-page.ts';
import {
  countPages,
  countReads,
  countReadsOf,
  countScanned,
  countVainComparisons,
  explainReads,
} from '../../support/plans.ts';
import { aRouteTo } from '../../support/routes.ts';
import { vacuumEvents } from '../../support/vacuum.ts';

// As the console and the metrics ask: many closed events, fewer open ones at their end, some without a
// fingerprint.
const firstPage = {
  ...firstGroups({ states: ['OPEN'] }),
  afterKey: null,
  afterFingerprint: null,
  folded: [],
  words: [],
  owner: null,
  types: null,
  novelty: null,
};

describe('with a long history, a statement about failures', () => {
  const database = useDatabase();
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, status, processed_at, fingerprint)
       select 'order.' || n % 10, '{}', '', 'SUCCEEDED', now(), 'v1:' || n % 50
       from generate_series(1, 8000) n`,
    );
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, fingerprint)
       select 'order.' || n % 10, '{}', '', case when n % 100 > 0 then 'v1:' || n % 50 end from generate_series(1, 2000) n`,
    );
    await vacuumEvents(database());
  });

  const pair = { eventType: 'order.1', isOrdered: true };
  const reads: Record<string, readonly [params: Record<string, unknown>, indexes: string[]]> = {
    'measure-ages': [{ types: ['order.1'], hasOthers: true }, ['dlq_events_age']],
    'measure-types': [{ types: ['order.1'], hasOthers: true }, []],
    'find-oldest-open-event': [{}, ['dlq_events_age']],
    'find-overdue-events': [
      { openDays: 14, undecidedDays: 30 },
      ['dlq_events_age', 'dlq_events_failed_permanently'],
    ],
    'count-due': [
      {
        pairs: [{ ...pair, lane: 1, priority: 0, rules: '{"maxAgeSeconds": 60}', isStopped: true }],
        soonSeconds: 3600,
        max: 100,
      },
      ['dlq_events_due', 'dlq_events_pkey', 'dlq_events_sequence'],
    ],
    'sum-depths': [{}, []],
    'measure-hours': [{}, []],
    'measure-leases': [{}, ['dlq_events_pkey']],
    'list-unfingerprinted': [{ limit: 500 }, ['dlq_events_fingerprint']],
    'set-fingerprints': [
      { fingerprints: [{ id: '1', errorReason: 'a', fingerprint: 'v1:a' }] },
      ['dlq_events_pkey'],
    ],
    'list-groups': [firstPage, ['dlq_events_fingerprint']],
    'read-groups': [{ fingerprints: ['v1:1', 'v1:2'], until: new Date() }, ['dlq_events_fingerprint']],
    'list-untitled-groups': [{ limit: 500 }, ['dlq_events_fingerprint', 'dlq_events_pkey']],
  };
  for (const [name, [params, indexes]] of Object.entries(reads)) {
    const reading = indexes.length === 0 ? 'without reading events' : `by ${indexes.join(' and ')}`;
    it(`is found ${reading}: ${name}`, async () => {
      const found = await explainReads(database(), name, params);
      // The sums have indexes of their own, which may be used or not: they are small.
      assert.deepEqual(
        found.filter((read) => /^dlq_events|^Seq Scan/.test(read)),
        indexes,
      );
    });
  }

  it('reads the deltas of counts as often for 50 errors as for one: read-groups', async () => {
    await refresh(database().db);
    await database().sql(
      `insert into dlq_events (event_type, payload, fingerprint) values ('order.1', '{}', 'v1:1')`,
    );
    await database().sql(
      'insert into dlq_count_deltas select deltas.* from dlq_count_deltas as deltas, generate_series(1, 5000)',
    );
    const pages = (groups: number) => {
      const fingerprints = `{${Array.from({ length: groups }, (_, n) => `v1:${n}`)}}`;
      return countPages(database(), 'read-groups', { fingerprints, until: new Date().toISOString() });
    };
    const [one, all] = [await pages(1), await pages(50)];
    // The latest event of each error and its hours are found by indexes.
    assert.ok(all - one < 49 * 20, `${all} pages for 50 errors, ${one} for one`);
  });
});

describe('with 10,000 deltas of counts', () => {
  const database = useDatabase();
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, fingerprint) values ('order.1', '{}', '', 'v1:1')`,
    );
    await database().sql(
      'insert into dlq_count_deltas select deltas.* from dlq_count_deltas as deltas, generate_series(1, 9999)',
    );
    await database().sql('analyze dlq_count_deltas');
  });

  for (const [name, params] of Object.entries({
    'count-from-depths': { statuses: '{PENDING,SUCCEEDED}', types: null, fingerprints: null },
    'sum-depths': {},
    'list-open-types': { types: '{order.1}' },
    'measure-hours': {},
    'list-top-groups': { since: '2020-01-01', until: '2100-01-01', step: '1 hour', groups: 20 },
  }))
    it(`reads each once, by any plan: ${name}`, async () => {
      const scanned = await countScanned(database(), name, params);
      assert.ok(scanned >= 10_000 && scanned < 10_100, `${scanned} rows`);
    });

  it('reads each once for the chart of all error groups', async () => {
    const times = { since: '2020-01-01', until: '2100-01-01', step: '1 hour' };
    const chart = { ...times, isByHour: true, fingerprint: null, max: 1000 };
    const once = await countPages(database(), 'sum-depths', {});
    const pages = await countPages(database(), 'sum-steps', chart);
    assert.ok(pages < 1.5 * once, `${pages} pages, and ${once} for all`);
  });

  it('adds them up before it adds all types to their sums: measure-types', async () => {
    const params = { types: '{order.1}', hasOthers: true };
    const scanned = await countScanned(database(), 'measure-types', params);
    // Once for the type, and once for all of them.
    assert.ok(scanned >= 20_000 && scanned < 20_100, `${scanned} rows`);
  });
});

describe('with one error that all events have, each of a type of its own', () => {
  const database = useDatabase();
  const gone = Array.from({ length: 50 }, (_, n) => `v1:gone-${n}`);
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, fingerprint)
       select 'order.' || n, '{}', '', 'v1:1' from generate_series(1, 5000) n`,
    );
    await refresh(database().db);
    await database().sql('vacuum analyze dlq_counts');
    await database().sql(
      `insert into dlq_error_groups (fingerprint, sample_event_id, first_seen_at, last_seen_at)
       select fingerprint, 1, now(), now() from unnest($1::text[]) as fingerprint`,
      [gone],
    );
    await vacuumEvents(database());
  });

  it('looks for the events of errors without events by an index: list-untitled-groups', async () => {
    const reads = await countReads(database(), 'list-untitled-groups', { limit: 500 });
    assert.ok(Math.max(reads.custom, reads.generic) <= 100, JSON.stringify(reads));
  });

  it('reads no event while no error is split: move-to-parts', async () => {
    const reads = await countReads(database(), 'move-to-parts', { limit: 5000 });
    // A join may look at the first one.
    assert.ok(Math.max(reads.custom, reads.generic) <= 1, JSON.stringify(reads));
  });

  it('looks for the latest events of errors without events by an index: read-groups', async () => {
    const params = { fingerprints: `{${gone}}`, until: new Date().toISOString() };
    const reads = await countReads(database(), 'read-groups', params);
    assert.deepEqual(reads, { custom: 0, generic: 0 });
  });
});

describe('with 1000 errors', () => {
  const database = useDatabase();
  before(async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, id_hashes, fingerprint)
       select 'order.' || n % 10, '{}', '', 'v1:' || n % 1000 from generate_series(1, 2000) n`,
    );
    await refresh(database().db);
    await database().sql('vacuum (analyze, index_cleanup on)');
  });

  for (const search of [{}, { words: '{order.1}' }, { types: '{order.1}' }, { novelty: 'new' }]) {
    it(`compares no error with all others, by any plan: list-groups ${JSON.stringify(search)}`, async () => {
      const folded = `{${Array.from({ length: 300 }, (_, n) => `v1:${n}`)}}`;
      const until = new Date().toISOString();
      const params = { ...firstPage, states: '{OPEN}', until, limit: 51, folded, words: '{}', ...search };
      const compared = await countVainComparisons(database(), 'list-groups', params);
      // The counts and trends of the page are few, and may be joined one by one.
      assert.ok(compared < 20_000, `${compared} comparisons`);
    });
  }

  it('compares no error with all others, by any plan: summarize-week', async () => {
    const compared = await countVainComparisons(database(), 'summarize-week', { causes: 5 });
    assert.ok(compared < 20_000, `${compared} comparisons`);
  });

  it('adds up all counts a few times for the errors of a consumer', async () => {
    const { db } = database();
    let statements = 0;
    const query: Database['query'] = (each) => {
      if (each.name === 'list-groups') statements += 1;
      return db.query(each);
    };
    assert.deepEqual(await listGroups({ ...db, query }, firstGroups({ limit: 50, consumer: 'none' })), []);
    assert.ok(statements < 5, `${statements} statements`);
  });

  it('looks up as many latest events as a page of the errors of a target needs', async () => {
    const routed = { target: 'http://shop/', routes: [aRouteTo('http://shop/')] };
    const reads = await countReadsOf(database(), (db) => listGroups(db, firstGroups({ limit: 5, routed })));
    assert.ok(reads > 0 && reads <= 10, `${reads}`);
  });
});
