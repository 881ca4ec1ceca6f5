import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { type Login, useLogins } from '../support/logins.ts';
import { pickVariant } from '../support/sample.ts';

const capture = (body: string) => `$json$[{
  "message_key": "id:1", "event_type": "order.created", "event_id": "1", "body_start": 1, "body_length": ${body.length},
  "payload_encoding": "json", "delivery_id": "d", "source_kind": "http", "error_reason": "timeout", "redelivery": "1.${'0'.repeat(32)}"
}]$json$, '${body}'`;

// Each function that runs as the owner, and each statement whose triggers do, by a role that may run it.
const calls: Record<string, readonly string[]> = {
  dlq_capture: [
    `select * from public.dlq_capture_events(${capture('{"n": 1}')}, 600)`,
    `select * from public.dlq_capture_events(${capture('{"n": 2}')}, 600)`,
    `select public.dlq_capture(event_type => 'order.created', payload => '{"n": 1}', event_id => '1', error_reason => 'again')`,
  ],
  dlq_reporter: [
    `select public.dlq_capture('order.created', '{}', error_reason => 'timeout', occurred_at => 'today')`,
  ],
  dlq_writer: [
    `insert into public.dlq_events (event_type, payload, status) values ('order.created', '{}', 'PROCESSING')`,
  ],
  dlq_retry: [
    `update public.dlq_run_events set outcome = 'delivered', settled_at = '2026-01-01'`,
    `update public.dlq_events set status = 'PROCESSING', error_reason = 'another'`,
    `select public.dlq_edit_run_events(2, 0, 1, '{2}', array['{"n": 2}'::bytea])`,
  ],
  dlq_replay: [
    `select public.dlq_restore_events('{1}')`,
    `select * from public.dlq_edit_events(1, '{2}', array['{"n": 2}'::bytea], '{"{}"}')`,
    `select public.dlq_undo_events(1, 1, array[1])`,
  ],
  dlq_console: [
    `select public.dlq_restore_events('{1}')`,
    `update public.dlq_events set status = 'DISCARDED'`,
  ],
  dlq_maintain: [
    'select public.dlq_create_archive_partitions(4)',
    `select public.dlq_drop_archive_month('today', null, 0, 10)`,
    'select public.dlq_drop_archive_month(null, null, 0, 10)',
    'delete from public.dlq_events where not is_open',
  ],
  dlq_readonly: ['select from public.dlq_depths', 'select from public.dlq_failures_by_reason'],
};

const settings = {
  'a search path of its own': 'set search_path = evil, pg_temp, public, pg_catalog',
  'another style of dates': `set datestyle = 'SQL, DMY'; set timezone = 'Asia/Kathmandu'`,
  'backslashes in literals': 'set standard_conforming_strings = off; set backslash_quote = on',
  'equations with null': 'set transform_null_equals = on',
  notifications: 'set dlo.notify = on',
  'the flag of product sessions': 'set dlo.writes_complete_rows = on',
};

// A database whose owner gave every login temporary tables and a schema of its own.
describe('a function that runs as the owner', () => {
  const database = useDatabase();
  const aLogin = useLogins(() => database().url);
  const logins: Record<string, Login> = {};
  let names: string[] = [];
  before(async () => {
    const { sql, url } = database();
    await sql(`grant temporary on database ${new URL(url).pathname.slice(1)} to public`);
    await sql('create schema evil; grant usage, create on schema evil to public');
    for (const role of Object.keys(calls)) logins[role] = await aLogin(`in role ${role}`);
    const relations = await sql<{ relname: string }>(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'c')`,
    );
    names = relations.map(({ relname }) => relname);
    const id = await anEvent(database(), { status: 'SUCCEEDED' });
    await sql('insert into dlq_events_archive select * from dlq_events; delete from dlq_events');
    await anEvent(database());
    await sql(
      `with run as (
         insert into dlq_runs (trigger, selected, stopped, ended_at) values ('replay', 1, 'a test', now()) returning id
       )
       insert into dlq_run_events (run_id, event_id, position, failure_count, status) select run.id, ${id}, 1, 1, 'PENDING' from run`,
    );
    await sql(
      `with run as (insert into dlq_runs (trigger, selected, patch) values ('replay', 1, '[]') returning id),
       entry as (insert into dlq_audit (action, run_id) select 'create run', id from run)
       insert into dlq_run_events (run_id, event_id, position, failure_count, status) select run.id, 2, 1, 1, 'PENDING' from run`,
    );
  });

  /** Runs the calls of a role as its login, each in a subtransaction that is rolled back. */
  const callAll = async (role: string, prepare: string, statements = calls[role] ?? []) => {
    const client = new pg.Client({ connectionString: logins[role]?.url });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(prepare);
      for (const statement of statements) {
        await client.query('savepoint prepared');
        await client.query(statement);
        await client.query('rollback to prepared');
      }
    } finally {
      await client.end();
    }
  };

  /** A trigger that fires within a function of the owner ends it with an error. */
  const trap = `
    create function pg_temp.trap() returns trigger language plpgsql as $$ begin raise 'trapped as %', current_user; end $$;`;
  const temporary = (create: (name: string) => string) => trap + names.map(create).join('');
  const inEvil = (text: string) => `${text}; set search_path = evil, pg_temp, public, pg_catalog`;
  const evilOperators = [
    'bigint',
    'integer',
    'text',
    'timestamptz',
    'jsonb',
    'boolean',
    'uuid',
    'bytea',
  ].flatMap((type) =>
    ['=', '<>', '<', '>', '>=', '<=', '||', '+', '-']
      .map(
        (operator) =>
          `create operator evil.${operator} (leftarg = ${type}, rightarg = ${type}, function = evil.trap_${type});`,
      )
      .concat(),
  );
  const shadows: Record<string, () => string> = {
    'temporary tables with statement triggers': () =>
      temporary(
        (name) => `create temp table ${name} (trap integer); grant all on ${name} to public;
          create trigger own before insert or update or delete on pg_temp.${name} for each statement execute function pg_temp.trap();`,
      ),
    'temporary views': () =>
      temporary((name) => `create temp view ${name} as select 1 / (random() * 0)::integer as trap;`),
    'temporary types': () => names.map((name) => `create type pg_temp.${name} as (trap integer);`).join(''),
    'temporary tables for partitions named at run time': () =>
      ['archive_2026_11', 'archive_2026_12', 'archive_2027_01', 'dropped_2020_01']
        .map((month) => `create temp table dlq_events_${month} (trap integer);`)
        .join(''),
    'tables in a schema on the search path': () =>
      inEvil(names.map((name) => `create table evil.${name} (trap integer)`).join(';')),
    'operators in a schema on the search path': () =>
      inEvil(
        ['bigint', 'integer', 'text', 'timestamptz', 'jsonb', 'boolean', 'uuid', 'bytea']
          .map(
            (
              type,
            ) => `create function evil.trap_${type}(a ${type}, b ${type}) returns boolean language plpgsql as
              $$ begin raise 'trapped as %', current_user; end $$;`,
          )
          .join('') + evilOperators.join(''),
      ),
    'functions in a schema on the search path': () =>
      inEvil(
        [
          'now()',
          'to_regclass(text)',
          'to_char(timestamptz, text)',
          'gen_random_uuid()',
          'row_to_json(record)',
          'dlq_insert_events(json, bytea, text, bigint, bigint)',
          'dlq_recount()',
          'dlq_capture_events(json, bytea, float)',
        ]
          .map(
            (signature) => `create function evil.${signature} returns text language plpgsql as
              $$ begin raise 'trapped as %', current_user; end $$`,
          )
          .join(';'),
      ),
    'types and domains in a schema on the search path': () =>
      inEvil(
        `create type evil.dlq_captured as (trap integer);
         create domain evil.regclass as text check (value = 'trap'); create domain evil.bigint as text check (value = 'trap')`,
      ),
  };

  it('searches pg_catalog alone, and temporary objects last', async () => {
    const others = await database().sql(
      `select oid::regprocedure::text as function, prosecdef, proconfig
       from pg_proc
       where pronamespace = 'public'::regnamespace
         -- A body that was parsed when the function was created refers to objects, not to names.
         and (prosecdef or prosqlbody is null)
         and not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false)`,
    );
    assert.deepEqual(others, []);
  });

  it('is called by at least one of the logins below', async () => {
    const functions = await database().sql<{ name: string }>(
      `select distinct on (proname) proname as name from pg_proc
       cross join lateral aclexplode(proacl)
       where pronamespace = 'public'::regnamespace and prosecdef and grantee <> proowner`,
    );
    const called = Object.values(calls).flat().join(' ');
    assert.deepEqual(
      functions.filter(({ name }) => !called.includes(`${name}(`)),
      [],
    );
  });

  for (const role of Object.keys(calls)) {
    for (const [shadow, prepare] of pickVariant(`${role} shadow`, Object.entries(shadows))) {
      it(`is not misled by ${shadow} of a login of ${role}`, () => callAll(role, prepare()));
    }
    for (const [setting, statement] of pickVariant(`${role} setting`, Object.entries(settings))) {
      it(`works for a login of ${role} that sets ${setting}`, () => callAll(role, statement));
    }
  }
});
