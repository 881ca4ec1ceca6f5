import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type Deployment, deploySchema } from '../../migrations/deploy-schema.ts';
import { migrate } from '../../migrations/migrate.ts';
import { runOnServer, useEmptyDatabases } from '../support/database.ts';
import { findBlock } from '../support/guide.ts';
import { useMigrationsCopies } from '../support/migrations-copies.ts';

const password = 'only-for-tests';
const deployers = ['ana', 'ben'];
const functions = ['capture', 'retry'];

// Roles belong to the whole server, and on that of the tests others are at work: every name is one of our
// own.
const suffix = randomBytes(4).toString('hex');
const own = (name: string) => `${name}_${suffix}`;
const rolesFile = readFileSync(
  path.resolve(import.meta.dirname, '../../migrations/deploy/prepare-database.sql'),
  'utf8',
);
const groupRoles = [...(rolesFile.match(/array array\[(.*)\]/)?.[1] ?? '').matchAll(/dlq_\w+/g)].map(String);
const renamed = new RegExp(`\\b(${[...groupRoles, 'dlq_owner', 'cloudsqlsuperuser'].join('|')})\\b`, 'g');

describe('the deployment of a schema to a server without superusers, as Cloud SQL is', () => {
  const copyMigrations = useMigrationsCopies();
  const anEmptyDatabase = useEmptyDatabases();
  let folder = '';
  before(async () => {
    await runOnServer(`create role ${own('cloudsqlsuperuser')} nologin createrole createdb`);
    for (const name of [...deployers, ...functions].map(own)) {
      await runOnServer(`create role ${name} login password '${password}'`);
    }
    for (const name of deployers) await runOnServer(`grant ${own('cloudsqlsuperuser')} to ${own(name)}`);
    folder = await copyMigrations((sql) => sql.replaceAll(renamed, own('$1')));
  });
  // After the databases, for a role with rights in one cannot be dropped.
  after(async () => {
    const roles = [...deployers, ...functions, ...groupRoles, 'dlq_owner', 'cloudsqlsuperuser'];
    for (const role of roles) await runOnServer(`drop role if exists ${own(role)}`);
  });

  const aDatabase = async (): Promise<URL> => {
    const url = new URL(await anEmptyDatabase());
    await runOnServer(`alter database ${url.pathname.slice(1)} owner to ${own('cloudsqlsuperuser')}`);
    return url;
  };
  const as = (name: string, url: URL): string =>
    Object.assign(new URL(url), { username: own(name), password }).href;
  const deploy = (name: string, url: URL, deployment: Partial<Deployment> = {}) =>
    deploySchema({ kind: 'url', url: as(name, url) }, { logins: {}, folder, ...deployment });
  const query = async (url: string, text: string): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      // Of several statements, a list of results.
      return [await client.query<unknown[]>({ text, rowMode: 'array' })]
        .flat()
        .flatMap(({ rows }) => rows.flat());
    } finally {
      await client.end();
    }
  };
  const rolesOf = (name: string, url: URL) =>
    query(
      url.href,
      `select roleid::regrole::text from pg_auth_members where member = '${own(name)}'::regrole`,
    );
  const owners = (url: URL) =>
    query(
      url.href,
      `select distinct relowner::regrole::text from pg_class where relnamespace = 'public'::regnamespace
       union select proowner::regrole::text from pg_proc where pronamespace = 'public'::regnamespace`,
    );

  it('creates no object that belongs to the deploying login, so that another one can change it', async () => {
    const url = await aDatabase();
    await deploy('ana', url);
    assert.deepEqual(await owners(url), [own('dlq_owner')]);
    const next = await copyMigrations((sql) => sql.replaceAll(renamed, own('$1')));
    await writeFile(path.join(next, '900_note.sql'), 'alter table dlq_events add column note text');
    assert.deepEqual(await deploy('ben', url, { folder: next }), ['900_note']);
  });

  it('takes over a schema that a login migrated for itself', async () => {
    const url = await aDatabase();
    await migrate(url.href, folder);
    await deploySchema({ kind: 'url', url: url.href }, { logins: {}, folder });
    assert.deepEqual(await owners(url), [own('dlq_owner')]);
  });

  it('grants each login its role, revokes every other, and lets it do its work and nothing else', async () => {
    const url = await aDatabase();
    const [capture, retry] = [own('capture'), own('retry')];
    await deploy('ana', url, { logins: { [own('dlq_capture')]: [capture, retry] } });
    const logins = { [own('dlq_capture')]: [capture], [own('dlq_retry')]: [retry] };
    await deploy('ben', url, { logins });
    assert.deepEqual(
      [await rolesOf('capture', url), await rolesOf('retry', url)],
      [[own('dlq_capture')], [own('dlq_retry')]],
    );
    const login = as('capture', url);
    await query(login, `select ${own('dlq_capture')}('order.created', '{}')`);
    await assert.rejects(query(login, 'delete from dlq_events'), /permission denied/);
    await assert.rejects(query(login, `set role ${own('dlq_owner')}`), /permission denied/);
  });

  it('revokes the role of a login that is no longer deployed, and keeps what others were granted', async () => {
    const url = await aDatabase();
    const formerLogins = { [own('dlq_readonly')]: [own('capture')] };
    await deploy('ana', url, { logins: formerLogins });
    await query(as('ana', url), `grant ${own('dlq_readonly')} to ${own('retry')}`);
    await deploy('ben', url, { formerLogins });
    assert.deepEqual(await rolesOf('capture', url), []);
    assert.ok((await rolesOf('retry', url)).includes(own('dlq_readonly')));
  });

  it('lets a deployer rename a restored database for a second stack, as the guide says', async () => {
    const url = await aDatabase();
    await deploy('ana', url);
    const name = url.pathname.slice(1);
    const said = findBlock('docs/operate.md', 'rename to').matchAll(/-c '(.*?)'/g);
    const commands = [...said].map(([, command = '']) => command.replaceAll(/\bdlo/g, name));
    const postgres = Object.assign(new URL(url), { pathname: '/postgres' });
    await query(as('ana', postgres), commands.join(';').replaceAll(renamed, own('$1')));
    const second = Object.assign(new URL(url), { pathname: `/${name}2` });
    assert.deepEqual(await deploy('ben', second, { logins: { [own('dlq_retry')]: [own('retry')] } }), []);
    assert.deepEqual(await query(as('retry', second), 'select count(*)::int from dlq_events'), [0]);
    await runOnServer(`alter database ${name}2 rename to ${name}`);
  });

  it('reports a missing login', async () => {
    const logins = { [own('dlq_retry')]: ['nobody@acme.iam'] };
    await assert.rejects(
      deploy('ana', await aDatabase(), { logins }),
      /role "nobody@acme.iam" does not exist/,
    );
  });

  it('is safe to run ten times concurrently', async () => {
    const url = await aDatabase();
    const logins = { [own('dlq_capture')]: [own('capture')] };
    const starts = Array.from({ length: 10 }, (_, i) => deploy(deployers[i % 2] ?? '', url, { logins }));
    const applied = (await Promise.all(starts)).flat();
    assert.equal(applied[0], '001_events');
    assert.deepEqual(applied, [...new Set(applied)].sort());
  });

  it('retries a rejected login for timeoutSeconds', async () => {
    const url = await aDatabase();
    await runOnServer(`alter role ${own('ben')} nologin`);
    const deployment = { logins: {}, folder, timeoutSeconds: 30 };
    const deploying = deploySchema({ kind: 'url', url: as('ben', url) }, deployment);
    await assert.rejects(query(as('ben', url), 'select'), /not permitted to log in/);
    await runOnServer(`alter role ${own('ben')} login`);
    assert.ok((await deploying).includes('001_events'));
  });

  it('reports the host of a failed connection, without the password', async () => {
    const url = await aDatabase();
    const wrong = { kind: 'url', url: as('ana', url).replace(password, 'hunter2') } as const;
    await assert.rejects(deploySchema(wrong, { logins: {}, folder }), (error: Error) => {
      assert.match(error.message, new RegExp(`^No connection to ${url.host}: .*authentication failed`));
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
  });
});
