import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { formatMetrics } from '../../../shared/metrics/format-metrics.ts';
import { measure } from '../../../shared/metrics/measure.ts';
import { useDatabase } from '../../support/database.ts';
import { countPages } from '../../support/plans.ts';
import { readMetrics } from '../../support/read-metrics.ts';

describe('the metrics of many event types', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql(text, values);
  const scrape = async () => readMetrics(formatMetrics(await measure(database().db, [])));
  beforeEach(() => database().clear());

  it('have labels for the first 100 event types, and "other" for the rest', async () => {
    await sql(
      `insert into dlq_events (event_type, payload) select 'type.' || lpad(n::text, 3, '0'), '{}' from generate_series(1, 100) n`,
    );
    await aggregateCounts(database().db);
    await sql(
      `insert into dlq_events (event_type, payload) values ('a.new', '{}'), ('another.new', '{}'), ('type.001', '{}')`,
    );
    await aggregateCounts(database().db);
    const scraped = await scrape();
    const captured = (type: string) => scraped.get(`dead_letter_total{event_type="${type}"}`);

    assert.deepEqual(['type.001', 'type.100', 'a.new', 'other'].map(captured), [2, 1, undefined, 2]);
    assert.equal([...scraped.keys()].filter((name) => name.startsWith('dead_letter_total')).length, 101);
  });

  it('count all events and the oldest one, also those of other types', async () => {
    await sql(
      `insert into dlq_events (event_type, payload, created_at)
       select 'type.' || n, '{}', now() - n * interval '1 minute' from generate_series(1, 150) n`,
    );
    await aggregateCounts(database().db);
    const scraped = await scrape();
    const minutes = (name: string) => Math.round((scraped.get(name) ?? 0) / 60);
    assert.equal(scraped.get('dead_letter_depth_pending'), 150);
    assert.equal(scraped.get('dead_letter_events{event_type="other",status="PENDING"}'), 50);
    assert.equal(minutes('dead_letter_oldest_pending_seconds'), 150);
    assert.ok(minutes('dead_letter_age_seconds{event_type="other"}') > 50);
  });

  it('have the age of the oldest event behind 10,000 other types', async () => {
    await sql(
      `insert into dlq_events (event_type, payload, id_hashes) select 'order.' || n, '{}', '' from generate_series(1, 10001) n`,
    );
    await sql(
      `insert into dlq_events (event_type, payload, created_at) values ('payment', '{}', now() - interval '3 days')`,
    );
    const age = (await scrape()).get('dead_letter_oldest_pending_seconds') ?? 0;
    assert.equal(Math.round(age / 3600), 72);
  });

  it('read a few pages for each of 100 types, of 20,000', async () => {
    await sql(
      `insert into dlq_counts (event_type, captures) select 'type.' || n, 1 from generate_series(1, 20000) n`,
    );
    await sql('vacuum analyze dlq_counts, dlq_count_deltas');
    const types = `{${Array.from({ length: 100 }, (_, n) => `type.${n + 1}`)}}`;
    const listed = await countPages(database(), 'list-first-types', { max: 101 });
    const measured = await countPages(database(), 'measure-types', { types, hasOthers: true });
    assert.ok(listed + measured < 400, `${listed} and ${measured} pages`);
  });

  it('read the week of the types with most captures alone', async () => {
    await sql(
      `insert into dlq_counts (hour, event_type, fingerprint, captures)
       select date_trunc('hour', now(), 'UTC') - make_interval(hours => hour), 'type ' || type, 'v1:' || type, 1
       from generate_series(0, 29) hour, generate_series(1, 2000) type`,
    );
    await sql('vacuum analyze dlq_counts');
    const pages = await countPages(database(), 'measure-inflow', {});
    assert.ok(pages < 2600, `${pages} pages`);
  });
});
