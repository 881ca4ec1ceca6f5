import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { runSqlFile } from '../support/sql-file.ts';

const person = 'Ána "A" O\'Neil@example.com';

describe('docs/erase.sql', () => {
  const database = useDatabase();
  const erase = (settings = '') => {
    const url = new URL(database().url);
    const quoted = (text: string) => text.replaceAll(/[\\ ]/g, (character) => `\\${character}`);
    url.searchParams.set('options', `-c dlo.person=${quoted(person)} -c dlo.reason=request ${settings}`);
    return runSqlFile(url.href, 'docs/erase.sql');
  };
  /** Where a text is in the database: columns of tables, whatever their type. */
  const findText = async (text: string) => {
    const tables = await database().sql<{ name: string }>(
      `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const hits = tables.map(async ({ name }) => {
      const rows = await database().sql<{ printed: string }>(
        `select to_jsonb(t)::text as printed from ${name} t`,
      );
      const isIn = (printed: string) =>
        [text, JSON.stringify(text).slice(1, -1), Buffer.from(text).toString('hex')].some((form) =>
          printed.toLowerCase().includes(JSON.stringify(form).slice(1, -1).toLowerCase()),
        );
      return rows.some(({ printed }) => isIn(printed)) ? [name] : [];
    });
    return (await Promise.all(hits)).flat().sort();
  };
  beforeEach(async () => {
    await database().clear();
    const message = Buffer.from(`to ${person.toUpperCase()}`);
    const payload = JSON.stringify({ customer: { email: person } });
    await anEvent(database(), { event_id: 'payload', payload });
    await anEvent(database(), { event_id: 'bytes', body: message, payload: '"text"', status: 'SUCCEEDED' });
    await anEvent(database(), { event_id: 'headers', headers: JSON.stringify({ 'x-user': person }) });
    const base64 = JSON.stringify(Buffer.from(`\0${person}`).toString('base64'));
    await anEvent(database(), {
      event_id: 'binary',
      payload: base64,
      payload_encoding: 'base64',
      body: null,
    });
    await anEvent(database(), { event_id: 'captured' });
    await anEvent(database(), { event_id: 'other', payload: '{"email": "ann@example.com"}' });
    await database().sql(
      `insert into dlq_captures (event_id, failure, facts)
      select id, 2, jsonb_build_object('error_reason', 'no user ' || $1::text) from dlq_events where event_id = 'captured'`,
      [person],
    );
    await anEvent(database(), { event_id: 'archived', payload, status: 'DISCARDED' });
    await database().sql(`with closed as (delete from dlq_events where event_id = 'archived' returning *)
      insert into dlq_events_archive select * from closed`);
    await database().sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_body)
      select id, 1, 'transient', 'http://shop', now(), 1, 'Unknown user ' || $1::text from dlq_events`,
      [person],
    );
    await database().sql(
      `insert into dlq_audit (actor, action, reason, details)
      values ('ann', 'discard', 'asked by ' || $1::text, jsonb_build_object('filter', jsonb_build_object('key', $1::text)))`,
      [person],
    );
  });

  it('counts what it would erase, and changes nothing', async () => {
    const before = await findText(person);
    const notices = await erase();
    assert.equal(notices[0], '6 events have the text, 4 of them open.');
    assert.equal(notices.at(-1), 'Nothing was changed: set dlo.confirm = yes to erase.');
    assert.deepEqual(await findText(person), before);
    assert.deepEqual(before, [
      'dlq_attempts',
      'dlq_audit',
      'dlq_captures',
      'dlq_events',
      'dlq_events_archive',
      ...before.filter((name) => /archive_/.test(name)),
    ]);
  });

  it('leaves the text in no column of any table, and the rows of others as they are', async () => {
    const notices = await erase('-c dlo.confirm=yes');
    assert.equal(notices.at(-1), 'Erased.');
    assert.deepEqual(await findText(person), []);
    assert.deepEqual(await database().sql('select event_id, payload from dlq_events'), [
      { event_id: 'other', payload: { email: 'ann@example.com' } },
    ]);
    assert.deepEqual(await database().sql('select response_body from dlq_attempts'), [
      { response_body: 'Unknown user (erased)' },
    ]);
  });

  it('is recorded in the audit, whose earlier rows keep all else', async () => {
    await erase('-c dlo.confirm=yes');
    assert.deepEqual(await database().sql('select action, reason, details from dlq_audit order by id'), [
      { action: 'discard', reason: 'asked by (erased)', details: { filter: { key: '(erased)' } } },
      { action: 'erase', reason: 'request', details: { changed: 6 } },
    ]);
  });
});
