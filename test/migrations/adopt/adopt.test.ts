import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { adopt } from '../../../migrations/adopt/adopt.ts';
import { migrate } from '../../../migrations/migrate.ts';
import { useEmptyDatabases } from '../../support/database.ts';
import { describeSchema } from '../../support/schema/describe-schema.ts';

const article = `
  create table dlq_events (
    id bigserial primary key,
    event_type varchar(255) not null,
    payload jsonb not null,
    error_reason text not null,
    error_stacktrace text,
    status varchar(20) not null default 'PENDING',
    retry_count int not null default 0,
    retry_after timestamptz not null default now(),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index dlq_events_due on dlq_events (status, retry_after);
  create index idx_dlq_events_created_at on dlq_events (created_at)`;

describe('the adoption of a table of the articles', () => {
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
  const run = (report: (events: number) => void = () => {}) => adopt(url, report);
  const insert = (n: number) =>
    sql(
      `insert into dlq_events (event_type, payload, error_reason, status, retry_count, created_at)
       select 'order.created', jsonb_build_object('n', n), 'timeout',
         (array['PENDING', 'SUCCEEDED', 'FAILED_PERMANENTLY'])[1 + n % 3], n % 7, now() - n * interval '1 minute'
       from generate_series(1, $1::int) n`,
      [n],
    );
  const columns = `id, event_type, payload, error_reason, error_stacktrace, status, retry_count, retry_after, created_at, updated_at`;

  beforeEach(async () => {
    url = await anEmptyDatabase();
    await sql(article);
  });

  it('keeps every row with its id and all columns', async () => {
    await insert(5000);
    const before = await sql(`select ${columns} from dlq_events order by id`);
    assert.deepEqual(await run(), { kind: 'adopted', events: 5000 });
    assert.deepEqual(await sql(`select ${columns} from dlq_events order by id`), before);
  });

  it('creates the schema of a new database, with no migration left to apply', async () => {
    await insert(3);
    await run();
    const golden = readFileSync(path.resolve(import.meta.dirname, '../../../migrations/schema.sql'), 'utf8');
    assert.ok(golden.endsWith(await describeSchema(url)));
    assert.deepEqual(await migrate(url), []);
  });

  it('continues the ids of the old table', async () => {
    await insert(3);
    await run();
    const [row] = await sql(
      `insert into dlq_events (event_type, payload) values ('order.created', '{}') returning id`,
    );
    assert.equal(row.id, '4');
  });

  it('lets consumers insert at any time, and loses none of their rows', async () => {
    await insert(20_000);
    let isDone = false;
    let written = 0;
    const consumer = new pg.Client({ connectionString: url });
    await consumer.connect();
    const writing = (async () => {
      while (!isDone) {
        const text = `insert into dlq_events (event_type, payload, error_reason) values ('order.paid', '{}', 'late')`;
        await consumer.query({ name: 'write', text });
        written++;
      }
      await consumer.end();
    })();
    await run().finally(() => {
      isDone = true;
    });
    await writing;
    const [row] = await sql('select count(*)::int as rows from dlq_events');
    assert.equal(row.rows, 20_000 + written);
  });

  it('continues after it was killed', async () => {
    await insert(5000);
    const killed = run(() => {
      throw new Error('killed');
    });
    await assert.rejects(killed, /killed/);
    assert.deepEqual(await run(), { kind: 'adopted', events: 3000 });
    assert.deepEqual(await sql('select count(*)::int as rows from dlq_events'), [{ rows: 5000 }]);
  });

  it('keeps unknown columns in the metadata', async () => {
    await sql(`alter table dlq_events add team text, add attempts_left int default 3`);
    await sql(
      `insert into dlq_events (event_type, payload, error_reason, team) values ('a', '{}', 'x', 'payments')`,
    );
    await run();
    const rows = await sql('select metadata from dlq_events');
    assert.deepEqual(rows, [{ metadata: { adopted: { team: 'payments', attempts_left: 3 } } }]);
  });

  it('maps the column names of the other articles', async () => {
    await sql(
      'alter table dlq_events add max_retries int, add consumer_group text, add next_retry_at timestamptz',
    );
    await sql('alter table dlq_events drop retry_after');
    await sql(
      `insert into dlq_events (event_type, payload, error_reason, max_retries, consumer_group, next_retry_at)
       values ('a', '{}', 'x', 3, 'billing', '2030-01-01'), ('a', '{}', 'x', null, null, '2030-01-01')`,
    );
    await run();
    const at = new Date('2030-01-01');
    assert.deepEqual(
      await sql('select max_retries, consumer_group, retry_after, metadata from dlq_events order by id'),
      [
        { max_retries: 3, consumer_group: 'billing', retry_after: at, metadata: null },
        { max_retries: null, consumer_group: null, retry_after: at, metadata: null },
      ],
    );
  });

  it('maps the statuses of the other articles, and a missing status to PENDING', async () => {
    await sql('alter table dlq_events alter status drop not null');
    for (const status of [null, 'pending', 'retrying', 'permanent_failed', 'PROCESSING']) {
      await sql(
        `insert into dlq_events (event_type, payload, error_reason, status) values ('a', '{}', 'x', $1)`,
        [status],
      );
    }
    await run();
    const rows = await sql('select status from dlq_events order by id');
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['PENDING', 'PENDING', 'PENDING', 'FAILED_PERMANENTLY', 'PROCESSING'],
    );
  });

  it('keeps the grants on the table', async () => {
    const role = `dlo_test_consumer_${path.basename(url)}`;
    await sql(`create role ${role}`);
    await sql(`grant select, insert on dlq_events to ${role}`);
    await run();
    const [rights] = await sql(
      `select has_table_privilege($1, 'dlq_events', 'insert') as may, has_table_privilege($1, 'dlq_events', 'delete') as "mayNot"`,
      [role],
    );
    await sql(`drop owned by ${role}`);
    await sql(`drop role ${role}`);
    assert.deepEqual(rights, { may: true, mayNot: false });
  });

  it('reports all reasons against it together, and changes nothing', async () => {
    await sql('create view open_events as select id from dlq_events');
    await sql('alter table dlq_events alter payload type text, alter retry_count type numeric');
    const { schema } = { schema: await describeSchema(url) };
    const done = await run();
    assert.equal(done.kind, 'refused');
    assert.deepEqual(done.kind === 'refused' && done.exclusions.map((exclusion) => exclusion.split(':')[0]), [
      'Column payload is of type text',
      'Column retry_count is of type numeric',
      'view open_events depends on the old table',
    ]);
    assert.equal(await describeSchema(url), schema);
  });

  it('rejects an unknown status, and reports its number of rows', async () => {
    await sql(
      `insert into dlq_events (event_type, payload, error_reason, status) values ('a', '{}', 'x', 'WEIRD')`,
    );
    const done = await run();
    assert.match(
      done.kind === 'refused' ? (done.exclusions[0] ?? '') : '',
      /^1 rows have the status 'WEIRD'/,
    );
  });

  it('does nothing when it is repeated', async () => {
    await run();
    assert.equal((await run()).kind, 'nothing to do');
  });
});
