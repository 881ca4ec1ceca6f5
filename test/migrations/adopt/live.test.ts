import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { articlesTable, someRows } from '../../support/articles-table.ts';
import { useEmptyDatabases } from '../../support/database.ts';
import { useTable } from '../../support/live-table.ts';

type Variation = {
  readonly ddl?: string;
  readonly accept?: readonly string[];
  readonly insert?: string;
  /** A query that must return true afterwards. */
  readonly holds?: string;
};

const insert = (columns: string, values: string, more = '') =>
  `insert into dlq_events (event_type, payload, error_reason${columns}) values ('order.created', $1, 'timeout'${values}) ${more} returning id`;

/** Tables that are adopted while three writers, a worker and a reader use them. */
const variations: Readonly<Record<string, Variation>> = {
  'as the articles print it': { holds: `select count(*) = 0 from dlq_events where event_key is null` },
  'with a column of its own': {
    ddl: `alter table dlq_events add tenant_id text not null default 'none', add "Attempts Left" int`,
    insert: insert(', tenant_id, "Attempts Left"', `, 'acme', 3`),
    holds: `select count(*) > 10 from dlq_events where tenant_id = 'acme' and "Attempts Left" = 3`,
  },
  'with a generated column': {
    ddl: `alter table dlq_events add n text generated always as (payload ->> 'n') stored`,
    holds: `select count(*) = 500 from dlq_events where n is not null`,
  },
  'with a unique index of its own, which ON CONFLICT names': {
    ddl: `alter table dlq_events add dedupe text, add constraint dlq_events_dedupe unique (dedupe)`,
    insert: insert(', dedupe', `, $1::jsonb ->> 'key'`, 'on conflict (dedupe) do nothing'),
    holds: `select exists (select from pg_constraint where conname = 'dlq_events_dedupe' and conrelid = 'dlq_events'::regclass)`,
  },
  'with an expression index and a comment': {
    ddl: `create index by_order on dlq_events ((payload ->> 'orderId')) where status <> 'SUCCEEDED'; comment on table dlq_events is 'ours'`,
    holds: `select to_regclass('by_order') is not null and obj_description('dlq_events'::regclass) = 'ours'`,
  },
  'that allows nulls': {
    ddl: `alter table dlq_events alter status drop not null, alter error_reason drop not null;
      insert into dlq_events (event_type, payload, error_reason, status, retry_after) values ('a', '{}', null, null, now() + interval '1 day')`,
    accept: ['nulls'],
    insert: `insert into dlq_events (event_type, payload, error_reason, status) values ('order.created', $1, null, null) returning id`,
    holds: `select count(*) > 10 from dlq_events where error_reason = 'not reported'`,
  },
  'with words in lower case': {
    ddl: `insert into dlq_events (event_type, payload, error_reason, status, retry_after)
      values ('a', '{}', 'x', 'retrying', now() + interval '1 day'), ('a', '{}', 'x', 'permanent_failed', now())`,
    accept: ['status-words'],
    insert: insert(', status', `, 'pending'`),
    holds: `select count(*) = 0 from dlq_events where status <> upper(status)`,
  },
  'with the columns of other articles': {
    ddl: `alter table dlq_events rename error_stacktrace to error_stack_trace; alter table dlq_events add next_retry_at timestamptz`,
    insert: insert(', error_stack_trace', `, 'at Client.get'`),
    holds: `select count(*) > 10 from dlq_events where error_stacktrace = 'at Client.get' and error_stack_trace = 'at Client.get'`,
  },
  'with a trigger': {
    ddl: `create function touch() returns trigger language plpgsql as 'begin new.updated_at := now(); return new; end';
      create trigger touch before update on dlq_events for each row execute function touch()`,
    accept: ['triggers'],
    holds: `select exists (select from pg_trigger where tgname = 'touch' and tgrelid = 'dlq_events'::regclass)`,
  },
  'that a view reads': {
    ddl: `create view open_events as select id, event_type, status from dlq_events where status = 'PENDING';
      create view opener as select id from open_events`,
    accept: ['views'],
    holds: `select (select count(*) from opener) = (select count(*) from dlq_events where status = 'PENDING')`,
  },
  'with a foreign key, and one to it': {
    ddl: `create table tenants (id text primary key); insert into tenants values ('acme');
      alter table dlq_events add tenant text references tenants;
      create table notes (event_id bigint references dlq_events on delete cascade)`,
    accept: ['foreign-keys'],
    insert: insert(', tenant', `, 'acme'`),
    holds: `select count(*) = 1 from pg_constraint where confrelid = 'dlq_events'::regclass`,
  },
  'whose rows refer to later ones, with another foreign key that is not valid': {
    ddl: `alter table dlq_events add parent bigint references dlq_events on delete set null;
      update dlq_events set parent = id + 200 where id <= 200;
      create table tenants (id text primary key);
      alter table dlq_events add tenant text default 'gone', add foreign key (tenant) references tenants not valid;
      insert into tenants values ('gone')`,
    holds: `select array_agg(convalidated order by conname) = '{true,false}' from pg_constraint where conrelid = 'dlq_events'::regclass and contype = 'f'`,
  },
  'with a check': {
    ddl: `alter table dlq_events add constraint words check (status in ('PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY'))`,
    accept: ['checks'],
  },
  'in a publication': {
    ddl: `create publication changes for table dlq_events; alter table dlq_events replica identity full`,
    accept: ['replica-identity'],
    holds: `select count(*) = 1 from pg_publication_tables where pubname = 'changes' and tablename = 'dlq_events'`,
  },
  'with integer ids, and a sequence that counts by ten': {
    ddl: `alter table dlq_events alter id type integer; alter sequence dlq_events_id_seq increment by 10`,
    accept: ['types'],
    holds: `select nextval('dlq_events_id_seq') > max(id) from dlq_events`,
  },
  'with an identity column and json': {
    ddl: `alter table dlq_events alter id drop default; drop sequence dlq_events_id_seq; alter table dlq_events alter id add generated always as identity (start 501),
      alter payload type json`,
    accept: ['types'],
    insert: insert('', '').replace('$1', '$1::json'),
  },
  'with an archive': {
    ddl: `create table dlq_events_archive (like dlq_events); insert into dlq_events_archive select * from dlq_events where status = 'SUCCEEDED'`,
    accept: ['archive'],
    holds: `select count(*) = 167 and count(lane) = 167 from dlq_events_archive`,
  },
};

describe('the adoption of a table in use', { concurrency: 3 }, () => {
  const anEmptyDatabase = useEmptyDatabases();

  for (const [variation, { ddl = '', accept = [], insert: text, holds }] of Object.entries(variations)) {
    it(`loses no write of a table ${variation}`, async () => {
      const url = await anEmptyDatabase();
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(articlesTable);
      await client.query(someRows, [500]);
      await client.query(ddl);
      const live = await useTable(url, text === undefined ? {} : { insert: text });
      const said: string[] = [];
      const flags = accept.flatMap((name) => ['--accept', name]);
      const code = await runAdopt({ DATABASE_URL: url }, flags, (line) => said.push(line)).finally(live.stop);
      const { errors, lowCounts, inserted, states, statements } = live.seen;
      const longestMs = Math.max(...statements.map(({ ms }) => ms));
      assert.deepEqual({ code, errors, lowCounts }, { code: 0, errors: [], lowCounts: [] }, said.join('\n'));
      assert.ok(
        inserted.length > 10 && longestMs < 5000,
        `${inserted.length} inserts, longest ${longestMs} ms`,
      );
      const { rows } = await client.query(
        `select
           (select count(distinct payload ->> 'key')::int from dlq_events) as inserted,
           (select count(*)::int from unnest($1::bigint[], $2::text[]) as acknowledged (id, status)
             join dlq_events using (id, status)) as states`,
        [[...states.keys()], [...states.values()]],
      );
      assert.deepEqual(rows[0], { inserted: inserted.length, states: states.size });
      if (holds !== undefined) assert.equal(Object.values((await client.query(holds)).rows[0])[0], true);
      await client.end();
    });
  }
});
