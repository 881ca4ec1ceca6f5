import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { articlesTable } from '../../support/articles-table.ts';
import { useEmptyDatabases } from '../../support/database.ts';
import { describeSchema } from '../../support/schema/describe-schema.ts';

const row = (status: string) =>
  `insert into dlq_events (event_type, payload, error_reason, status) values ('a', '{}', 'x', '${status}')`;

/** The fault of a table, the statements that make it so, and what the report has to say. */
const obstacles: Readonly<Record<string, readonly [string, RegExp]>> = {
  'a payload that is text': [
    'alter table dlq_events alter payload type text',
    /Column payload is of type text.*Import its rows/,
  ],
  'ids that are uuid': [
    'alter table dlq_events drop column id, add id uuid primary key default gen_random_uuid()',
    /Column id is of type uuid.*Import its rows/,
  ],
  'ids without a unique index': [
    'alter table dlq_events drop constraint dlq_events_pkey',
    /CREATE UNIQUE INDEX CONCURRENTLY ON dlq_events \(id\)/,
  ],
  'a sequence of its own': [
    'alter sequence dlq_events_id_seq owned by none',
    /ALTER SEQUENCE dlq_events_id_seq OWNED BY dlq_events\.id/,
  ],
  'a status that is unknown': [
    `${row('WEIRD')}; ${row('WEIRD')}`,
    /2 rows have the status "WEIRD".*--map FILE with/,
  ],
  'a column with a name of this product': [
    'alter table dlq_events add lane text',
    /Column lane has the name/,
  ],
  'a rule': [
    'create rule log as on insert to dlq_events do also notify added',
    /Rule log of dlq_events.*Replace it by a trigger/,
  ],
  'row level security': ['alter table dlq_events enable row level security', /row level security/],
  'a foreign key that keeps rows': [
    'create table notes (event_id bigint references dlq_events)',
    /Foreign key notes_event_id_fkey of notes.*ON DELETE SET NULL/,
  ],
  partitions: [
    'drop table dlq_events; create table dlq_events (id bigint, event_type text, payload jsonb, status text) partition by range (id)',
    /dlq_events is partitioned.*Copy its rows into a table that is not partitioned/,
  ],
  children: ['create table child () inherits (dlq_events)', /has parents or children/],
  'a view in its place': [
    'alter table dlq_events rename to t; create view dlq_events as select * from t',
    /dlq_events is a view/,
  ],
  'another schema': [
    'create schema app; alter table dlq_events set schema app',
    /ALTER TABLE app\.dlq_events SET SCHEMA public/,
  ],
  'a function with its row type': [
    `create function f(dlq_events) returns int language sql as 'select 1'`,
    /Function f\(dlq_events\) is bound to dlq_events/,
  ],
  'a taken name': ['create table dlq_runs (id int)', /dlq_runs exists.*rename yours/],
  'a rule of a view that writes': [
    `create view v as select id from dlq_events;
     create rule r as on insert to v do instead insert into dlq_events (event_type, payload, error_reason) values ('a', '{}', 'x')`,
    /Rule r on view v is bound to dlq_events.*use a trigger/,
  ],
  'a policy of another table': [
    'create table notes (id int); create policy mine on notes using (exists (select from dlq_events))',
    /Policy mine on table notes is bound to dlq_events.*a function whose body is a text/,
  ],
  'a function with a parsed body': [
    'create function pending() returns bigint language sql begin atomic select count(*) from dlq_events; end',
    /Function pending\(\) is bound to dlq_events/,
  ],
  'a foreign table': [
    `alter table dlq_events rename to t; create foreign data wrapper w; create server s foreign data wrapper w;
     create foreign table dlq_events (id bigint, event_type text, payload jsonb) server s`,
    /is a view or a foreign table: adopt the table that it reads/,
  ],
  'a partition of another table': [
    'create table parent (like dlq_events) partition by range (id); alter table parent attach partition dlq_events default',
    /is partitioned, or has parents/,
  ],
  'a domain that allows no null': [
    'create domain tenant as text not null; alter table dlq_events add owner tenant',
    /Column owner is of the domain tenant.*SET DEFAULT/,
  ],
  'an event type that is a domain': [
    'create domain kind as text; alter table dlq_events alter event_type type kind',
    /Column event_type is of type kind.*Import its rows/,
  ],
  'a key of several columns': [
    'alter table dlq_events drop constraint dlq_events_pkey, add primary key (id, created_at)',
    /CREATE UNIQUE INDEX CONCURRENTLY ON dlq_events \(id\)/,
  ],
  'a check': [
    'alter table dlq_events add constraint few_retries check (retry_count < 100)',
    /checks: Constraint few_retries, CHECK .*--accept checks/s,
  ],
  'an event trigger': [
    `create function watch() returns event_trigger language plpgsql as 'begin end'; create event trigger guard on ddl_command_end execute function watch()`,
    /event-triggers: Event trigger guard/,
  ],
  'a default that is replaced': [
    `alter table dlq_events alter retry_after set default now() + interval '1 day'`,
    /--accept defaults/,
  ],
  'times without a zone': [
    'alter table dlq_events alter created_at type timestamp',
    /taken as times in .*; --time-zone/,
  ],
  'a unique index over the event type': [
    'create unique index on dlq_events (event_type)',
    /--accept unique-indexes/,
  ],
  'a materialized view': [
    'create materialized view m as select * from dlq_events',
    /--accept materialized-views/,
  ],
  'a publication of all tables': ['create publication everything for all tables', /--accept publications/],
  'a publication whose condition needs the whole old row': [
    `alter table dlq_events replica identity full; create publication failed for table dlq_events where (status = 'FAILED_PERMANENTLY')`,
    /Publication failed selects rows or columns of dlq_events.*PostgreSQL would refuse updates/,
  ],
  'storage settings': [
    'alter table dlq_events set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01); alter table dlq_events set (toast.autovacuum_enabled = false)',
    /settings: fillfactor=70 of dlq_events.*autovacuum_vacuum_scale_factor=0.01.*toast.autovacuum_enabled=false.*--accept settings/s,
  ],
  'extended statistics, the storage of a column, and comments on its indexes': [
    `create statistics by_type on event_type, status from dlq_events; alter table dlq_events alter payload set storage external, alter event_type set statistics 500;
     comment on index dlq_events_pkey is 'ours'`,
    /STATISTICS by_type of.*column event_type.*column payload.*comment on index dlq_events_pkey/s,
  ],
  'a table that a crash would empty': ['alter table dlq_events set unlogged', /UNLOGGED of dlq_events/],
  'an enumeration': [
    `create type s as enum ('PENDING'); alter table dlq_events alter status drop default, alter status type s using status::s`,
    /Column status is of type s and becomes text.*cast a value to s fail/,
  ],
};

describe('the report of npm run adopt', () => {
  const anEmptyDatabase = useEmptyDatabases();

  for (const [name, [ddl, expected]] of Object.entries(obstacles)) {
    it(`names ${name} with a remedy, and changes nothing`, async () => {
      const url = await anEmptyDatabase();
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(articlesTable);
      await client.query(ddl);
      await client.end();
      const before = await describeSchema(url);
      const said: string[] = [];
      assert.equal(await runAdopt({ DATABASE_URL: url }, [], (line) => said.push(line)), 1);
      assert.match(said.join('\n'), expected);
      assert.doesNotMatch(said.join('\n'), /\bdrop\b/i);
      assert.equal(await describeSchema(url), before);
    });
  }
});
