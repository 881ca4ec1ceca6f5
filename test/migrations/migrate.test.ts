import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { migrate } from '../../migrations/migrate.ts';
import { runOnServer, useEmptyDatabases } from '../support/database.ts';
import { describeSchema } from '../support/schema/describe-schema.ts';

const folder = path.resolve(import.meta.dirname, '../../migrations');
const files = (await readdir(folder)).filter((file) => file.endsWith('.sql') && file !== 'schema.sql').sort();
const names = files.map((file) => path.basename(file, '.sql'));
const roles = [
  'dlq_capture',
  'dlq_writer',
  'dlq_retry',
  'dlq_replay',
  'dlq_console',
  'dlq_maintain',
  'dlq_readonly',
];

const anEmptyDatabase = useEmptyDatabases();
const madeRoles: string[] = [];
const madeFolders: string[] = [];

// Databases go first: a role with rights in one cannot be dropped.
after(async () => {
  for (const role of madeRoles) await runOnServer(`drop role ${role}`);
  for (const copy of madeFolders) await rm(copy, { recursive: true });
});

async function copyMigrations(edit = (sql: string) => sql): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'dlo-migrations-'));
  madeFolders.push(copy);
  await mkdir(path.join(copy, 'deploy'));
  for (const file of [...files, 'deploy/prepare-database.sql']) {
    await writeFile(path.join(copy, file), edit(await readFile(path.join(folder, file), 'utf8')));
  }
  return copy;
}

async function addFailure(): Promise<string> {
  const copy = await copyMigrations();
  await writeFile(
    path.join(copy, '999_failure.sql'),
    'create table left_behind (); select no_such_function();',
  );
  return copy;
}

describe('a migration', () => {
  it('creates the schema in an empty database, and changes nothing when it is repeated', async () => {
    const url = await anEmptyDatabase();
    assert.deepEqual(await migrate(url), names);
    const before = await describeSchema(url);
    assert.deepEqual(await migrate(url), []);
    assert.equal(await describeSchema(url), before);
  });

  it('is applied once by ten concurrent calls', async () => {
    const url = await anEmptyDatabase();
    const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(url)));
    assert.deepEqual(applied.flat(), names);
  });

  it('creates the roles once for several databases of a server', async () => {
    const suffix = randomBytes(4).toString('hex');
    madeRoles.push(...roles.map((role) => `${role}_${suffix}`));
    const anyRole = new RegExp(`\\b(${roles.join('|')})\\b`, 'g');
    const copy = await copyMigrations((sql) => sql.replaceAll(anyRole, `$1_${suffix}`));
    const urls = await Promise.all(Array.from({ length: 3 }, anEmptyDatabase));
    const applied = await Promise.all(urls.map((url) => migrate(url, copy)));
    assert.deepEqual(applied.flat().sort(), urls.flatMap(() => names).sort());
  });

  it('needs no right but to own the database if the roles exist', async () => {
    const username = `dlo_test_owner_${randomBytes(4).toString('hex')}`;
    const password = 'only-for-tests';
    await runOnServer(`create role ${username} login password '${password}'`);
    madeRoles.push(username);
    const url = new URL(await anEmptyDatabase());
    await runOnServer(`alter database ${url.pathname.slice(1)} owner to ${username}`);
    assert.deepEqual(await migrate(Object.assign(url, { username, password }).href), names);
  });

  it('of a later version stays when the version before is deployed again', async () => {
    const url = await anEmptyDatabase();
    const later = await copyMigrations();
    await writeFile(path.join(later, '900_note.sql'), 'alter table dlq_events add column note text');
    assert.deepEqual(await migrate(url, later), [...names, '900_note']);
    const schema = await describeSchema(url);
    assert.deepEqual(await migrate(url), []);
    assert.equal(await describeSchema(url), schema);
    assert.deepEqual(await migrate(url, later), []);
  });

  it('leaves the schema unchanged when it fails', async () => {
    const url = await anEmptyDatabase(process.env.DLO_TEST_TEMPLATE);
    const before = await describeSchema(url);
    await assert.rejects(migrate(url, await addFailure()), /no_such_function/);
    assert.equal(await describeSchema(url), before);
  });

  it('undoes the migrations before it when it fails', async () => {
    const url = await anEmptyDatabase();
    await assert.rejects(migrate(url, await addFailure()), /no_such_function/);
    assert.deepEqual(await migrate(url), names);
  });

  it('has a file named NNN_noun.sql, numbered without a gap', () => {
    const numbers = files.map((file) => /^(\d{3})_[a-z]+(-[a-z]+)*\.sql$/.exec(file)?.[1]);
    assert.deepEqual(
      numbers,
      files.map((_, i) => String(i + 1).padStart(3, '0')),
    );
  });
});
