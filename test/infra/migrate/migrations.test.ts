import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as pulumi from '@pulumi/pulumi';
import { Migrations, type MigrationsArgs } from '../../../infra/migrate/migrations.ts';
import { migrate } from '../../../migrations/migrate.ts';
import { useEmptyDatabases } from '../../support/database.ts';
import { registerInputs, useDynamicProvider } from '../../support/dynamic-provider.ts';
import { useMigrationsCopies } from '../../support/migrations-copies.ts';
import { describeSchema } from '../../support/schema/describe-schema.ts';

describe('migrations by pulumi up', () => {
  const provider = useDynamicProvider();
  const anEmptyDatabase = useEmptyDatabases();
  const copyMigrations = useMigrationsCopies();
  const register = (args: MigrationsArgs) => registerInputs(() => new Migrations('migrations', args));
  const onCloudSql = {
    instance: 'acme:eu:dlo',
    database: 'events',
    user: 'ana@acme.com',
    ipType: 'PUBLIC',
  } as const;
  const aFailure = async (): Promise<string> => {
    const folder = await copyMigrations();
    await writeFile(
      path.join(folder, '999_failure.sql'),
      'create table left_behind (); select no_such_function();',
    );
    return folder;
  };

  it('migrate an empty database and return the applied files', async () => {
    const { id, outs } = await provider().create(await register({ url: await anEmptyDatabase() }));
    assert.match(id, /^127\.0\.0\.1:\d+\/dlo_test_\w+$/);
    assert.equal((outs.applied as string[])[0], '001_events');
  });

  it('fail the update, name the failed file, and leave the schema unchanged', async () => {
    const url = await anEmptyDatabase();
    await migrate(url);
    const before = await describeSchema(url);
    const failing = provider().create(await register({ url, folder: await aFailure() }));
    await assert.rejects(failing, /999_failure: function no_such_function\(\) does not exist/);
    assert.equal(await describeSchema(url), before);
  });

  it('apply new files once', async () => {
    const url = await anEmptyDatabase();
    const { outs } = await provider().create(await register({ url }));
    const folder = await copyMigrations();
    await writeFile(path.join(folder, '900_note.sql'), 'alter table dlq_events add column note text');
    const news = await register({ url, folder });
    const updated = await provider().update(outs, news);
    assert.deepEqual(updated.applied, ['900_note']);
    assert.deepEqual((await provider().update(updated, news)).applied, []);
  });

  it('can be applied ten times concurrently', async () => {
    const inputs = await register({ url: await anEmptyDatabase() });
    const created = await Promise.all(Array.from({ length: 10 }, () => provider().create(inputs)));
    const applied = created.flatMap(({ outs }) => outs.applied as string[]);
    assert.deepEqual(applied, [...new Set(applied)].sort());
  });

  it('are skipped if nothing changed, on any machine', async () => {
    const inputs = await register(onCloudSql);
    const elsewhere = { ...inputs, folder: '../migrations', code: '../infra/migrate/apply-schema.ts' };
    const olds = { ...elsewhere, applied: ['001_events'], id: 'acme:eu:dlo/events' };
    assert.deepEqual(await provider().diff(olds, inputs), { changes: false, replaces: [] });
  });

  it('are applied again if a file, a login or the deployer changes', async () => {
    const olds = await register(onCloudSql);
    const folder = await copyMigrations();
    await appendFile(path.join(folder, '001_events.sql'), '-- more');
    const changed = [
      await register({ ...onCloudSql, folder }),
      await register({ ...onCloudSql, folder: await aFailure() }),
      await register({ ...onCloudSql, logins: { dlq_retry: ['retry@acme.iam'] } }),
      await register({ ...onCloudSql, user: 'ben@acme.com' }),
    ];
    for (const news of changed) {
      assert.deepEqual(await provider().diff(olds, news), { changes: true, replaces: [] });
    }
  });

  it('replace the resource for another database', async () => {
    const olds = await register(onCloudSql);
    for (const other of [{ instance: 'acme:eu:dlo2' }, { database: 'other' }]) {
      const diff = await provider().diff(olds, await register({ ...onCloudSql, ...other }));
      assert.deepEqual(diff, { changes: true, replaces: ['location'] });
    }
  });

  it('store neither credentials nor machine paths in the state', async () => {
    const inputs = await register(onCloudSql);
    assert.doesNotMatch(JSON.stringify(inputs), /password|token/i);
    assert.ok(!JSON.stringify(inputs).includes(path.resolve('.')));
    let location: pulumi.Inputs = {};
    const transform: pulumi.ResourceTransformation = ({ props }) => {
      location = props.location;
      return undefined;
    };
    new Migrations('secret', { url: 'postgres://ana:hunter2@db/events' }, { transformations: [transform] });
    assert.equal(await pulumi.isSecret(location.url), true);
  });
});
