import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { articlesTable } from '../../support/articles-table.ts';
import { runOnServer, useEmptyDatabases } from '../../support/database.ts';

describe('npm run adopt with a login that is no superuser', () => {
  const anEmptyDatabase = useEmptyDatabases();
  const owner = `dlo_test_owner_${randomBytes(4).toString('hex')}`;
  const other = `dlo_test_other_${randomBytes(4).toString('hex')}`;
  const addressOf = (url: string, login: string) =>
    Object.assign(new URL(url), { username: login, password: 'p' }).href;
  const sql = async (url: string, text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  const report = async (url: string, login: string) => {
    const said: string[] = [];
    const code = await runAdopt({ DATABASE_URL: addressOf(url, login) }, ['--accept', 'views'], (line) =>
      said.push(line),
    );
    return { code, text: said.join('\n') };
  };

  before(() =>
    runOnServer(
      `create role ${owner} login createrole password 'p'; create role ${other} login password 'p'`,
    ),
  );
  // After the databases, in which the roles own objects.
  after(() => runOnServer(`drop role ${owner}; drop role ${other}`));

  it('names everything that the login may not move, and every right that it needs, together', async () => {
    const url = await anEmptyDatabase();
    await sql(
      url,
      `${articlesTable};
       create table tenants (id text primary key);
       alter table dlq_events owner to ${owner}, add tenant text references tenants;
       create table notes (event_id bigint references dlq_events on delete cascade);
       create view open_events as select id from dlq_events;
       create publication changes for table dlq_events`,
    );
    const { code, text } = await report(url, owner);
    assert.equal(code, 1);
    assert.match(text, new RegExp(`${owner} may not create tables.*GRANT CREATE ON SCHEMA public`));
    assert.match(text, /Foreign key dlq_events_tenant_fkey .*GRANT REFERENCES/);
    assert.match(text, /Foreign key notes_event_id_fkey of notes, which belongs to another role/);
    assert.match(text, /View open_events belongs to another role/);
    assert.match(text, /Publication changes belongs to another role/);
    assert.match((await report(url, other)).text, new RegExp(`dlq_events belongs to ${owner}: connect as`));
  });

  it('adopts a table of the login, with its view', async () => {
    const url = await anEmptyDatabase();
    await sql(
      url,
      `grant create on schema public to ${owner}; set role ${owner}; ${articlesTable}; create view open_events as select id from dlq_events`,
    );
    const { code, text } = await report(url, owner);
    assert.equal(code, 0, text);
  });
});
