import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { articlesTable, someRows } from '../../support/articles-table.ts';
import { useEmptyDatabases } from '../../support/database.ts';
import { useTable } from '../../support/live-table.ts';

const longName = 'i'.repeat(62);

/** Everything that PostgreSQL allows a table to have, and that an adoption carries over. */
const manyThings = `
  create domain tenant as text not null default 'none';
  create schema other;
  create domain other.label as varchar(20);
  alter table dlq_events
    add owner tenant, add label other.label, add "Mandant ""A""" text collate "C" default 'a', add nr bigserial,
    add tags text[] not null default '{}', add span int4range, add place point, add note text storage external,
    add parent bigint references dlq_events on delete set null,
    add constraint one_span exclude using gist (span with &&),
    add constraint "One Label" unique (label) deferrable initially deferred;
  alter table dlq_events set unlogged, cluster on dlq_events_pkey;
  alter sequence dlq_events_id_seq rename to "${'S'.repeat(60)}";
  create index ${longName}1 on dlq_events (id, status);
  create index ${longName}2 on dlq_events (id, event_type);
  create index "Ix ""A""" on dlq_events using gin (payload);
  create unique index covering on dlq_events (id) include (status);
  create function confirm() returns trigger language plpgsql as 'begin return null; end';
  create constraint trigger "Later ""x""" after insert on dlq_events deferrable initially deferred
    for each row execute function confirm();
  create view open_events as select * from dlq_events where status = 'PENDING' with local check option;
  create function changed() returns event_trigger language plpgsql as 'begin end';
  create event trigger changed on ddl_command_end execute function changed();
  insert into dlq_events (id, event_type, payload, error_reason, retry_count, retry_after, created_at, updated_at)
  values (-5, '', 'null', '', -3, 'infinity', '-infinity', 'infinity'), (0, 'a', '[]', 'x', 2147483647, 'infinity', 'infinity', '-infinity');
  insert into dlq_events (event_type, payload, error_reason, retry_after)
  select 'large', jsonb_build_object('text', repeat(md5(n::text), 100000)), 'x', 'infinity' from generate_series(1, 3) n`;

describe('an adopted table', () => {
  const anEmptyDatabase = useEmptyDatabases();
  let url = '';
  const sql = async (text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  let seen: Awaited<ReturnType<typeof useTable>>['seen'] | undefined;
  const said: string[] = [];

  before(async () => {
    url = await anEmptyDatabase();
    await sql(articlesTable);
    await sql(someRows.replace('$1', '500'));
    await sql(manyThings);
    const live = await useTable(url);
    seen = live.seen;
    const flags = ['triggers', 'unique-indexes', 'views', 'event-triggers', 'values', 'settings'].flatMap(
      (name) => ['--accept', name],
    );
    await runAdopt({ DATABASE_URL: url }, flags, (line) => said.push(line)).finally(live.stop);
  });

  it('has every write of consumers that used it meanwhile', async () => {
    assert.match(said.join('\n'), /Adopted dlq_events/);
    assert.deepEqual({ errors: seen?.errors, lowCounts: seen?.lowCounts }, { errors: [], lowCounts: [] });
    const rows = await sql(`select count(distinct payload ->> 'key')::int as inserted from dlq_events`);
    assert.deepEqual(rows, [{ inserted: seen?.inserted.length }]);
  });

  it('keeps names as long as PostgreSQL allows, of indexes and the sequence', async () => {
    const rows = await sql(
      `select relname as name from pg_class where relname ~ '^(i{62}|S{60})' order by relname collate "C"`,
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['S'.repeat(60), `${longName}1`, `${longName}2`],
    );
  });

  it('keeps columns of domains, arrays and other types with defaults and collations', async () => {
    const rows =
      await sql(`insert into dlq_events (event_type, payload, label, span) values ('a', '{}', 'one', '[1,2)')
      returning owner, label, "Mandant ""A""" as mandant, nr is not null as "isNumbered"`);
    assert.deepEqual(rows, [{ owner: 'none', label: 'one', mandant: 'a', isNumbered: true }]);
  });

  it('keeps unique and exclusion constraints', async () => {
    const rows = await sql(
      `select conname as name from pg_constraint where conrelid = 'dlq_events'::regclass and conname in ('one_span', 'One Label') order by 1`,
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['One Label', 'one_span'],
    );
  });

  it('keeps extreme values, which the product can store', async () => {
    const rows = await sql(
      `select id, retry_count, retry_after::text, created_at::text from dlq_events where id <= 0 order by id`,
    );
    assert.deepEqual(rows, [
      { id: '-5', retry_count: 0, retry_after: 'infinity', created_at: '-infinity' },
      { id: '0', retry_count: 2147483647, retry_after: 'infinity', created_at: 'infinity' },
    ]);
  });

  it('keeps large payloads', async () => {
    const rows = await sql(
      `select count(*)::int as same from dlq_events as event join adopted_dlq_events as old using (id)
       where event.event_type = 'large' and event.payload = old.payload`,
    );
    assert.deepEqual(rows, [{ same: 3 }]);
  });

  it('is read by its views', async () => {
    const rows = await sql(
      `select (select count(*) from open_events) = (select count(*) from dlq_events where status = 'PENDING') as same`,
    );
    assert.deepEqual(rows, [{ same: true }]);
  });

  it('needs nothing of the old table', async () => {
    await sql('drop table adopted_dlq_events');
    const rows = await sql(
      `insert into dlq_events (event_type, payload) values ('a', '{}') returning nr > 500 as continues`,
    );
    assert.deepEqual(rows, [{ continues: true }]);
  });
});
