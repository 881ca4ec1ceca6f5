import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { type Action, isRefusal, openSession, type Session } from '../support/roles.ts';

const roles = [
  'dlq_capture',
  'dlq_reporter',
  'dlq_writer',
  'dlq_retry',
  'dlq_replay',
  'dlq_console',
  'dlq_maintain',
  'dlq_readonly',
];
const tables = [
  'dlq_events',
  'dlq_events_archive',
  'dlq_attempts',
  'dlq_runs',
  'dlq_run_events',
  'dlq_audit',
  'dlq_audit_events',
  'dlq_breakers',
  'dlq_error_groups',
];

const addEvent = `insert into dlq_events (event_type, payload) values ('order.created', '{}')`;
const addEventWith = (column: string, value: string) =>
  `insert into dlq_events (event_type, payload, ${column}) values ('order.created', '{}', ${value})`;

const neverByDelivery = {
  'add an event': addEvent,
  'delete an event': 'delete from dlq_events',
  'change the payload': `update dlq_events set payload = '{}'`,
  'change the exact bytes': `update dlq_events set body = ''`,
  'change the headers': `update dlq_events set headers = '{}'`,
  'change the identity': `update dlq_events set event_key = 'forged'`,
  'change where an event is routed': `update dlq_events set event_type = 'forged'`,
  'change how often the consumer failed': 'update dlq_events set failure_count = 1',
  'change an attempt': `update dlq_attempts set outcome = 'delivered'`,
  'delete an attempt': 'delete from dlq_attempts',
  'change the archive': `update dlq_events_archive set status = 'SUCCEEDED'`,
  'update audit rows': `update dlq_audit set actor = 'nobody'`,
  'delete audit rows': 'delete from dlq_audit',
  'update the events of an action': 'update dlq_audit_events set event_id = 1',
  'delete the events of an action': 'delete from dlq_audit_events',
};

const neverByCapture = {
  'read a payload': 'select payload from dlq_events',
  'change a status': `update dlq_events set status = 'SUCCEEDED'`,
  'delete an event': 'delete from dlq_events',
  'take a lease': 'update dlq_events set lease_token = gen_random_uuid()',
  'change the payload': `update dlq_events set payload = '{}'`,
  'change the identity': `update dlq_events set event_key = 'forged'`,
  'add an event with a priority': addEventWith('priority', '-1'),
  'add an event with a lease': addEventWith('lease_token', 'gen_random_uuid()'),
  'add an event with an id of its own': addEventWith('id', '1'),
  'add an event with a key of its own': addEventWith('event_key', `'id:1'`),
  'add an event with a date of its own': addEventWith('created_at', `'2020-01-01'`),
  'write an attempt': 'insert into dlq_attempts (event_id) values (1)',
  'read the archive': 'select from dlq_events_archive',
  'count events': 'select count(*) from dlq_depths',
  'restore an event': `select dlq_restore_events('{1}')`,
};

const refusals: Record<string, Record<string, string>> = {
  dlq_capture: {
    ...neverByCapture,
    'add an event by plain SQL': addEvent,
    'read its own event': 'select id from dlq_events',
  },
  dlq_reporter: {
    ...neverByCapture,
    'add an event by plain SQL': addEvent,
    'capture a batch': `select dlq_capture_events('[]', '', 600)`,
  },
  dlq_writer: {
    ...neverByCapture,
    'capture by the function': `select dlq_capture('order.created', '{}')`,
    'read what it inserts': `${addEvent} returning id`,
    'learn whether a key exists': `${addEvent} on conflict (event_key) do nothing`,
  },
  dlq_retry: { ...neverByDelivery, 'read the archive': 'select from dlq_events_archive' },
  dlq_replay: neverByDelivery,
  dlq_console: {
    ...neverByDelivery,
    'write an attempt': 'insert into dlq_attempts (event_id) values (1)',
    'settle the event of a run': `update dlq_run_events set outcome = 'delivered'`,
    'change the health of a target': `update dlq_breakers set state = 'CLOSED'`,
    'make a tick': `insert into dlq_runs (trigger, allowance) values ('schedule', 1)`,
    'delete a run': 'delete from dlq_runs',
  },
  dlq_maintain: {
    'add an event': addEvent,
    'change an event': `update dlq_events set status = 'SUCCEEDED'`,
    'change the archive': `update dlq_events_archive set status = 'SUCCEEDED'`,
    'delete from the archive': 'delete from dlq_events_archive',
    'record an action of an operator': `insert into dlq_audit (actor, action) values ('ann', 'discard')`,
  },
};

describe('rights', () => {
  let session: Session;
  // Registered first: the session ends before its database is dropped.
  after(() => session.close());
  const database = useDatabase();
  before(async () => {
    session = await openSession(database());
  });
  const refuse = (role: string, text: string) =>
    assert.rejects(session.act(role, { work: (db) => db.query({ text }) }), isRefusal, `${role}: ${text}`);

  for (const [role, actions] of Object.entries(refusals)) {
    for (const [action, sql] of Object.entries(actions))
      it(`${role} cannot ${action}`, () => refuse(role, sql));
  }

  it('dlq_readonly can read everything', async () => {
    const read = (table: string): Action => ({ work: (db) => db.query({ text: `select * from ${table}` }) });
    for (const table of tables) await session.act('dlq_readonly', read(table));
  });

  it('dlq_readonly cannot write anything', async () => {
    for (const table of tables) {
      await refuse('dlq_readonly', `insert into ${table} default values`);
      // Asks for the right to update, whatever the column.
      await refuse('dlq_readonly', `select from ${table} for update`);
      await refuse('dlq_readonly', `delete from ${table}`);
    }
  });

  it('no role can choose the login of an audit row', async () => {
    for (const role of roles) {
      await refuse(role, `insert into dlq_audit (action, login) values ('discard', 'another login')`);
    }
  });

  it('no role can update or delete audit rows', async () => {
    for (const role of roles) {
      await refuse(role, `update dlq_audit set actor = 'another role'`);
      await refuse(role, 'delete from dlq_audit');
    }
  });

  it('no role can alter, truncate or drop a table', async () => {
    for (const role of roles) {
      for (const table of tables) {
        await refuse(role, `alter table ${table} add extra int`);
        await refuse(role, `truncate ${table} cascade`);
        await refuse(role, `drop table ${table} cascade`);
      }
    }
  });

  it('no role can disable the trigger that completes states, or replace its function', async () => {
    for (const role of roles) {
      await refuse(role, 'alter table dlq_events disable trigger all');
      await refuse(role, 'drop function dlq_complete_event cascade');
    }
  });

  it('a login without a role can do nothing', async () => {
    const open = await database().sql(
      `select oid::regclass::text from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') and (
         has_table_privilege('public', oid, 'select, insert, update, delete, truncate, references, trigger')
         or has_any_column_privilege('public', oid, 'select, insert, update, references'))
       union all
       select oid::regprocedure::text from pg_proc
       where pronamespace = 'public'::regnamespace and has_function_privilege('public', oid, 'execute')`,
    );
    assert.deepEqual(open, []);
  });
});
