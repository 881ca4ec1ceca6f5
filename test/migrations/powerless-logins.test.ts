import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { aggregateCounts } from '../../shared/counts/aggregate-counts.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { type Login, useLogins } from '../support/logins.ts';
import { isRefusal } from '../support/roles.ts';

const roles = ['capture', 'reporter', 'writer', 'retry', 'replay', 'console', 'maintain', 'readonly'];

const attacks = {
  'create a temporary table': 'create temp table dlq_events (id bigint)',
  'create a temporary table from a query': 'create temp table mine as select 1',
  'select into a temporary table': 'select 1 into temp mine',
  'create a temporary view': 'create temp view dlq_events as select 1',
  'create a temporary sequence': 'create temp sequence mine',
  'create a temporary function': 'create function pg_temp.mine() returns integer return 1',
  'create a temporary type': 'create type pg_temp.mine as (a integer)',
  'create a table': 'create table public.mine (id bigint)',
  'create a view': 'create view public.mine as select 1',
  'create a function': 'create function public.now() returns integer return 1',
  'create an operator': 'create operator public.= (leftarg = bigint, rightarg = bigint, function = int8eq)',
  'create a type': 'create type public.mine as (a integer)',
  'create a domain': 'create domain public.mine as text',
  'create a collation': 'create collation public.mine from "C"',
  'create a cast': 'create cast (bigint as text) with inout as implicit',
  'create a schema': 'create schema mine',
  'create a trigger': 'create trigger mine after insert on dlq_events execute function dlq_count_events()',
  'create an event trigger':
    'create event trigger mine on ddl_command_start execute function dlq_count_events()',
  'create a rule': 'create rule mine as on insert to dlq_events do instead nothing',
  'create a policy': 'create policy mine on dlq_events using (true)',
  'create an index': 'create index on dlq_events (id)',
  'create statistics': 'create statistics mine on id, status from dlq_events',
  'drop an extension': 'drop extension plpgsql',
  'create a language': 'create language mine handler plpgsql_call_handler',
  'create a publication': 'create publication mine for all tables',
  'create a foreign data wrapper': 'create foreign data wrapper mine',
  'create a role': 'create role mine login',
  'create a database': 'create database mine',
  'grant itself a role of PostgreSQL': 'grant pg_read_all_data to current_user',
  'grant itself another group role': 'grant dlq_maintain, dlq_console to current_user',
  'become another role': 'set role pg_write_all_data',
  'become another login': 'set session authorization dlq_maintain',
  'replace a function': `create or replace function dlq_recount() returns void language sql begin atomic; end`,
  'change the search path of a function': 'alter function dlq_recount set search_path = public',
  'call a function of the owner that no role needs': 'select dlq_recount()',
  'detach a partition': 'alter table dlq_events_archive detach partition dlq_events_archive_default',
  'disable triggers': 'alter table dlq_events disable trigger all',
  'disable triggers for its session': 'set session_replication_role = replica',
  'change a setting of the server': `alter system set fsync = off`,
  'change a setting of the database': `alter role all set search_path = mine`,
  'run a program': `copy (select 1) to program 'true'`,
  'read a file of the server': `select pg_read_file('/etc/hostname')`,
  'import a file of the server': `select lo_import('/etc/hostname')`,
  'lock the archive': 'begin; lock table only dlq_events_archive in share update exclusive mode',
  'lock the migrations': 'begin; lock table dlq_migrations in share mode',
  'end the session of the owner': `select pg_terminate_backend(pid) from pg_stat_activity where usesysid = 10 limit 1`,
};

describe('a login of a group role', () => {
  const database = useDatabase();
  const aLogin = useLogins(() => database().url);
  const logins: Login[] = [];
  before(async () => {
    await anEvent(database());
    for (const role of roles) logins.push(await aLogin(`in role dlq_${role}`));
  });
  const use = async (login: Login | undefined, work: (client: pg.Client) => Promise<unknown>) => {
    const client = new pg.Client({ connectionString: login?.url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };

  describe('with a session', () => {
    const sessions: pg.Client[] = [];
    before(async () => {
      for (const { url } of logins) sessions.push(new pg.Client({ connectionString: url }));
      for (const session of sessions) await session.connect();
    });
    after(() => Promise.all(sessions.map((session) => session.end())));

    for (const [attack, sql] of Object.entries(attacks)) {
      it(`cannot ${attack}`, async () => {
        for (const [i, session] of sessions.entries()) {
          await assert.rejects(session.query(sql), isRefusal, `dlq_${roles[i]}: ${sql}`);
          // Ends the transaction of an attack that began one.
          await session.query('rollback');
        }
      });
    }
  });

  it('holds no advisory lock that maintenance waits for', () =>
    use(logins.at(-1), async (client) => {
      const keys = ['dlq_events_archive', 'dlq_recount', 'dlq_aggregate_counts', 'dlq_counts'];
      for (const key of keys) await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [key]);
      const { sql, db } = database();
      await sql('select dlq_create_archive_partitions(2)');
      await sql('select dlq_recount()');
      await anEvent(database());
      assert.ok((await aggregateCounts(db)) > 0);
    }));

  it('reads the archive in an open transaction, and new partitions are given up after 3 s', () =>
    use(logins.at(-1), async (client) => {
      await client.query('begin; select from dlq_events_archive');
      await assert.rejects(database().sql('select dlq_create_archive_partitions(40)'), /lock timeout/);
    }));

  it('is recorded with each of its audit rows', () =>
    use(logins[roles.indexOf('console')], async (client) => {
      await client.query(`insert into dlq_audit (actor, action) values ('ann', 'discard')`);
      const rows = await database().sql(`select login from dlq_audit where actor = 'ann'`);
      assert.deepEqual(rows, [{ login: logins[roles.indexOf('console')]?.user }]);
    }));

  it('records its own actions only, as maintain', () =>
    use(logins[roles.indexOf('maintain')], async (client) => {
      await client.query(`insert into dlq_audit (action) values ('reopen group')`);
      const rows = await database().sql(`select actor from dlq_audit where action = 'reopen group'`);
      assert.deepEqual(rows, [{ actor: 'service' }]);
    }));
});
