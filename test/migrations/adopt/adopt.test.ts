import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { begin, withConnections } from '../../../migrations/adopt/adopt.ts';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { noMapping } from '../../../migrations/adopt/mapping.ts';
import { makePlan } from '../../../migrations/adopt/plan.ts';
import { migrate } from '../../../migrations/migrate.ts';
import { articlesTable, someRows } from '../../support/articles-table.ts';
import { useEmptyDatabases } from '../../support/database.ts';
import { describeSchema } from '../../support/schema/describe-schema.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const manual = readFileSync(path.join(root, 'docs/adopt.md'), 'utf8');
const golden = readFileSync(path.join(root, 'migrations/schema.sql'), 'utf8');

describe('npm run adopt', () => {
  const anEmptyDatabase = useEmptyDatabases();
  let url = '';
  const sql = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  const run = async (...flags: string[]) => {
    const said: string[] = [];
    const code = await runAdopt({ DATABASE_URL: url }, flags, (line) => said.push(line));
    return { code, text: said.join('\n') };
  };
  const columns = `id, event_type, payload, error_reason, error_stacktrace, status, retry_count, retry_after, created_at, updated_at`;
  const rows = () => sql(`select ${columns} from dlq_events order by id`);

  beforeEach(async () => {
    url = await anEmptyDatabase();
    await sql(articlesTable);
    await sql(someRows, [2500]);
  });

  it('keeps every row with its id and all columns, and the old table', async () => {
    const before = await rows();
    assert.equal((await run()).code, 0);
    assert.deepEqual(await rows(), before);
    assert.deepEqual(await sql(`select ${columns} from adopted_dlq_events order by id`), before);
  });

  it('creates the schema of a new database, with no migration left to apply', async () => {
    await run();
    await sql(
      'drop table adopted_dlq_events; drop index dlq_events_due_adopted; drop function dlq_complete_adopted cascade',
    );
    assert.ok(golden.endsWith(await describeSchema(url)));
    assert.deepEqual(await migrate(url), []);
  });

  it('continues the ids of the sequence, not of the highest row', async () => {
    await sql('delete from dlq_events where id > 2000');
    await run();
    const [row] = await sql(
      `insert into dlq_events (event_type, payload) values ('order.created', '{}') returning id`,
    );
    assert.equal(row.id, '2501');
  });

  it('keeps the index that claims of consumers use', async () => {
    await run();
    await sql(`alter database ${path.basename(url)} set enable_seqscan = off`);
    const plan = await sql(
      `explain select id from dlq_events where status = 'PENDING' and retry_after <= now() order by retry_after limit 50`,
    );
    assert.match(JSON.stringify(plan), /dlq_events_due_adopted/);
  });

  it('counts the events of the table', async () => {
    await run();
    const [depth] = await sql(
      'select sum(pending)::int as pending, sum(succeeded)::int as succeeded from dlq_depths',
    );
    assert.deepEqual(depth, { pending: 833, succeeded: 834 });
  });

  it('continues after it was killed', async () => {
    const env = { ...process.env, DATABASE_URL: url };
    const child = spawn(process.execPath, [path.join(root, 'migrations/adopt/run-adopt.ts')], { env });
    for await (const chunk of child.stdout) if (`${chunk}`.includes('Copying')) child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await sql(`update dlq_events set error_reason = 'changed meanwhile' where id = 1`);
    const before = await rows();
    assert.equal((await run()).code, 0);
    assert.deepEqual(await rows(), before);
  });

  it('leaves the table as it was after --cancel', async () => {
    const before = await describeSchema(url);
    await withConnections({ kind: 'url', url }, 25, async (connections) => {
      await begin(connections, await makePlan(connections.client, noMapping));
    });
    await assert.rejects(migrate(url), /The adoption of dlq_events is unfinished/);
    assert.equal((await run('--cancel')).code, 0);
    assert.equal(await describeSchema(url), before);
  });

  it('changes nothing with --dry-run, and prints rows, time and pause', async () => {
    const before = await describeSchema(url);
    const { code, text } = await run('--dry-run');
    assert.equal(code, 0);
    assert.match(text, /dlq_events: 2,500 rows.*less than a minute.*wait twice/s);
    assert.equal(await describeSchema(url), before);
  });

  it('keeps grants on the table, its columns and its sequence', async () => {
    const role = `dlo_test_consumer_${path.basename(url)}`;
    await sql(`create role ${role}`);
    await sql(
      `grant delete on dlq_events to ${role}; grant insert (event_type, payload) on dlq_events to ${role}; grant usage on dlq_events_id_seq to ${role}`,
    );
    await run();
    const [rights] = await sql(
      `select has_table_privilege($1, 'dlq_events', 'delete') as may, has_table_privilege($1, 'dlq_events', 'update') as "mayNot",
         has_column_privilege($1, 'dlq_events', 'payload', 'insert') as column, has_sequence_privilege($1, 'dlq_events_id_seq', 'usage') as sequence`,
      [role],
    );
    await sql(`drop owned by ${role}; drop role ${role}`);
    assert.deepEqual(rights, { may: true, mayNot: false, column: true, sequence: true });
  });

  it('names the session that holds a lock, and does not make others wait for it', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('begin; select from dlq_events limit 1');
    const [{ pid }] = (await client.query('select pg_backend_pid() as pid')).rows;
    await assert.rejects(
      run('--lock-attempts', '2'),
      new RegExp(`could not be locked in 2 attempts.* Session ${pid} of .*start the adoption again`),
    );
    await client.query('rollback');
    await client.end();
  });

  it('can be undone with the statements of docs/adopt.md', async () => {
    await run();
    await sql(`insert into dlq_events (event_type, payload) values ('order.created', '{}')`);
    const before = await rows();
    await sql(/^ {4}begin;[\s\S]*?commit;/m.exec(manual)?.[0] ?? '');
    assert.deepEqual(await rows(), before);
    const [row] = await sql(
      `insert into dlq_events (event_type, payload, error_reason) values ('order.created', '{}', 'x') returning id`,
    );
    assert.deepEqual([before.at(-1)?.id, row.id], ['2501', '2503']);
  });

  it('does nothing when it is repeated', async () => {
    await run();
    assert.deepEqual(await run(), {
      code: 0,
      text: 'Nothing to adopt. dlq_events already is a table of this product.',
    });
  });

  it('rejects an unknown flag and an unknown warning', async () => {
    await assert.rejects(run('--dryrun'), /Unknown option '--dryrun'.*--help lists the flags/s);
    await assert.rejects(run('--lock-attempts', 'all'), /--lock-attempts = "all"\n.*whole number/);
    await assert.rejects(run('--accept', 'all'), /--accept = "all"\n.*Use one of types, status-words/);
  });

  it('is what npm run migrate points to, which leaves nothing behind', async () => {
    const before = await describeSchema(url);
    await assert.rejects(migrate(url), /dlq_events is a table of the articles.*npm run adopt -- --dry-run/);
    assert.equal(await describeSchema(url), before);
    assert.equal((await run()).code, 0);
  });
});
