import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { hotdryTable, japaneseTable, ownTable } from '../support/adopted-tables.ts';
import { useDatabase } from '../support/database.ts';
import { runSqlFile } from '../support/sql-file.ts';

describe('the adoption of a table under another name', () => {
  const database = useDatabase();

  it('names words for statuses that it does not know, and changes nothing', async () => {
    const { sql, url } = database();
    await sql(`${hotdryTable.ddl}; ${hotdryTable.fill} from generate_series(1, 5) n;
      update dead_letter_queue set status = 'erledigt' where id = 3`);
    const adopted = runSqlFile(url, 'docs/adopt/dead_letter_queue.sql');
    await assert.rejects(adopted, /status: erledigt is none of pending/);
    assert.deepEqual(await sql(`select to_regclass('adopted_dead_letter_queue') as table`), [
      { table: null },
    ]);
  });
});

describe('the view in place of an adopted table', () => {
  const database = useDatabase();
  const sql = (text: string, values: unknown[] = []) => database().sql<Record<string, string>>(text, values);
  /** Inserts a failure into dead_letter_queue, and returns the id of its event. */
  const insert = async (values: Readonly<Record<string, unknown>> = {}) => {
    const row = { event_type: 'order.created', payload: '{}', error_message: 'timeout', ...values };
    const places = Object.keys(row).map((_, n) => `$${n + 1}`);
    const [inserted] = await sql(
      `insert into dead_letter_queue (${Object.keys(row)}) values (${places}) returning id`,
      Object.values(row),
    );
    return inserted?.id ?? '';
  };
  const find = async (id: string) => (await sql('select * from dlq_events where id = $1', [id]))[0];

  before(async () => {
    for (const { file, ddl, fill } of [hotdryTable, japaneseTable, ownTable]) {
      await sql(`${ddl}; ${fill} from generate_series(1, 20) n`);
      await runSqlFile(database().url, `docs/adopt/${file}`);
    }
  });

  it('captures what a writer inserts, with its facts', async () => {
    const id = await insert({
      event_id: 'evt-a',
      consumer_group: 'billing',
      max_retries: 7,
      next_retry_at: '2027-01-01Z',
    });
    const event = await find(id);
    assert.deepEqual(
      [event?.event_key, event?.error_reason, event?.max_retries, event?.status],
      ['id:evt-a', 'timeout', 7, 'PENDING'],
    );
  });

  it('makes the same failure the same event', async () => {
    assert.equal(await insert({ event_id: 'evt-b' }), await insert({ event_id: 'evt-b' }));
  });

  it('keeps a permanent failure for an operator at once', async () => {
    const event = await find(await insert({ status: 'permanent_failed' }));
    assert.equal(event?.status, 'FAILED_PERMANENTLY');
  });

  it('captures within the transaction of the writer', async () => {
    const [before] = await sql('select count(*) as events from dlq_events');
    await assert.rejects(
      sql(
        `with moved as (insert into dead_letter (event_id, payload) values (7, '{}') returning id) select id / 0 from moved`,
      ),
      /division by zero/,
    );
    assert.deepEqual((await sql('select count(*) as events from dlq_events'))[0], before);
  });

  it('keeps the exact text of a message', async () => {
    for (const message of ['{"a":  1.10}', 'no JSON']) {
      const [job] = await sql(`insert into failed_jobs (queue, message) values ('mails', $1) returning id`, [
        message,
      ]);
      const [shown] = await sql('select message from failed_jobs where id = $1', [job?.id]);
      assert.equal(shown?.message, message);
      assert.equal(`${(await find(job?.id ?? ''))?.body}`, message);
    }
  });

  it('passes on an UPDATE of the status', async () => {
    const id = await insert();
    await sql(`update dead_letter_queue set status = 'retrying' where id = $1`, [id]);
    assert.ok((await find(id))?.lease_token);
    await sql(`update dead_letter_queue set status = 'succeeded', processed_at = now() where id = $1`, [id]);
    const event = await find(id);
    assert.deepEqual([event?.status, event?.lease_token, !!event?.processed_at], ['SUCCEEDED', null, true]);
  });

  it('rejects an UPDATE of anything else, and an unknown status, and names what is allowed', async () => {
    const id = await insert();
    const update = (change: string) => sql(`update dead_letter_queue set ${change} where id = $1`, [id]);
    await assert.rejects(
      update(`payload = '[]'`),
      /UPDATE may change only status, retry_count, next_retry_at/,
    );
    await assert.rejects(update(`status = 'done'`), /"done" is none of pending, retrying, succeeded/);
    await assert.rejects(
      sql(`update dead_letter set error_message = 'x'`),
      /dead_letter is a view.*UPDATE is rejected/,
    );
  });

  it('rejects a DELETE', async () => {
    for (const name of ['dead_letter_queue', 'dead_letter', 'failed_jobs'])
      await assert.rejects(sql(`delete from ${name}`), /is a view of dlq_events, whose events are archived/);
  });

  it('changes no event by an id that a row had before', async () => {
    const changed = await sql(`update dead_letter_queue set status = 'succeeded' where id = 5 returning id`);
    assert.deepEqual(changed, []);
  });
});
