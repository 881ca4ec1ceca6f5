import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readSettings } from '../../infra/check-settings.ts';
import { type CloudSql, startCloudSql } from '../support/cloud-sql/use-cloud-sql.ts';
import { useEmptyDatabases } from '../support/database.ts';
import { type DynamicProvider, startDynamicProvider } from '../support/dynamic-provider.ts';
import { readBlocks } from '../support/guide.ts';
import { type InstalledComponent, installComponent } from '../support/installed-component.ts';
import { itCanBePublished } from '../support/it-can-be-published.ts';
import { useLogins } from '../support/logins.ts';
import { type Run, runByPulumi } from '../support/pulumi-engine.ts';
import { readStackConfig } from '../support/stack-config.ts';
import { isItsTurn } from '../support/taken-in-turn.ts';

const root = path.resolve(import.meta.dirname, '../..');
const dynamic = (kind: string, name: string) => `pulumi-nodejs:dynamic/dead-letter-office:${kind} ${name}`;

/**
 * An ES module that takes the component as one, and invalid settings from CommonJS, which Pulumi's templates
 * are.
 */
const program = `
  import { createRequire } from 'node:module';
  import { DeadLetterOffice } from '@dead-letter-office/pulumi';
  import { RunError } from '@pulumi/pulumi';
  const required = createRequire(import.meta.url)('@dead-letter-office/pulumi');
  const settings = JSON.parse(process.env.SETTINGS);
  try {
    new required.DeadLetterOffice('invalid', { ...settings, deployer: 'ana' });
  } catch (error) {
    if (RunError.isInstance(error)) console.log(error.message);
  }
  new DeadLetterOffice('dead-letter-office', settings);
`;

describe('the installed Pulumi component', { skip: !isItsTurn('pulumi') }, () => {
  let installed: InstalledComponent;
  let ran: Run;
  before(async () => {
    installed = await installComponent();
    await writeFile(path.join(installed.folder, 'Pulumi.yaml'), 'name: acme-events\nruntime: nodejs\n');
    await writeFile(path.join(installed.folder, 'index.mjs'), program);
    ran = await runByPulumi(
      { namespace: 'acme-events', values: {}, secretKeys: [] },
      { folder: installed.folder, env: { SETTINGS: JSON.stringify(readSettings(readStackConfig('prod'))) } },
    );
  });
  after(() => installed.remove());

  it('registers the same resources as a stack', () => {
    assert.equal(ran.status, 0, ran.said);
    const reviewed = readFileSync(path.join(root, 'test/infra/deployment/prod.txt'), 'utf8');
    const expected = [...reviewed.matchAll(/^(\w\S+:\S+ \S+) \(/gm)].map(([, named]) => named);
    assert.ok(expected.length > 130);
    const isComponent = (named: string) => /^(pulumi|dead-letter-office):/.test(named);
    assert.deepEqual(ran.registered.filter((each) => !isComponent(each)).sort(), expected.sort());
  });

  it('is told what its project has to set, so that a failed update is repaired by the next one', () => {
    assert.equal(ran.warnings.length, 1);
    assert.match(String(ran.warnings), /Pulumi\.yaml has no "options: \{refresh: always\}"/);
  });

  it('reports invalid settings as an error without a stack trace, and registers nothing', () => {
    assert.match(ran.said, /The configuration has \d problems?:\n {2}deployer = "ana"\n/);
    assert.ok(!ran.registered.some((each) => each.endsWith(' invalid')));
  });

  it('has types for the example and the samples of the documentation, and reports a misspelt setting', async () => {
    const files = { 'index.ts': 'example.ts', 'tsconfig.json': 'tsconfig.json' };
    for (const [file, copy] of Object.entries(files)) {
      await cp(path.join(root, 'examples/pulumi', file), path.join(installed.folder, copy));
    }
    const misspelt = `import { DeadLetterOffice } from '@dead-letter-office/pulumi';
      new DeadLetterOffice('x', { project: 'acme-dev', deployer: 'user:ana@acme.example', wrokers: 2 });`;
    const samples = ['docs/deploy.md', 'packages/pulumi/README.md'].flatMap((page) => readBlocks(page, 'ts'));
    assert.equal(samples.length, 2);
    for (const [i, { code }] of samples.entries()) {
      await writeFile(path.join(installed.folder, `sample-${i}.ts`), code);
    }
    const imports = `import './example.js'; import './sample-0.js'; import './sample-1.js';`;
    await writeFile(path.join(installed.folder, 'index.ts'), `${imports}\n${misspelt}`);
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = { encoding: 'utf8' } as const;
    const { stdout } = spawnSync(
      process.execPath,
      [tsc, '--skipLibCheck', '--project', installed.folder],
      options,
    );
    assert.match(stdout, /index\.ts\(3,\d+\): error TS\d+: .*'wrokers' does not exist/);
    assert.equal(stdout.trim().split('\n').length, 1, stdout);
  });

  describe('in the process of dynamic providers', () => {
    const anEmptyDatabase = useEmptyDatabases();
    let databaseUrl = '';
    let user = '';
    let cloudSql: CloudSql;
    let provider: DynamicProvider;
    const aLogin = useLogins(() => databaseUrl);
    before(async () => {
      databaseUrl = await anEmptyDatabase();
      const login = await aLogin('superuser');
      user = login.user;
      cloudSql = await startCloudSql(user, login.url);
      provider = await startDynamicProvider(installed.folder, cloudSql.env);
    });
    after(async () => {
      provider.stop();
      await cloudSql.stop();
    });

    it('migrates with its own migrations', async () => {
      const registered = ran.inputs.get(dynamic('Migrations', 'dlo-migrations'));
      assert.doesNotMatch(JSON.stringify(registered), new RegExp(installed.folder));
      const { instance, database } = cloudSql;
      const { id } = await provider.create({
        ...registered,
        instance,
        database,
        user,
        users: [],
        logins: {},
        accessToken: `token of ${user}`,
      });
      assert.equal(id, 'Migrations');
    });

    it('keeps what is removed: events, and logins, which PostgreSQL does not drop with privileges', async () => {
      const registered = ran.inputs.get(dynamic('Migrations', 'dlo-migrations'));
      assert.ok(registered);
      // The stand-in of Google knows neither: a request would fail.
      await provider.delete(registered);
    });
  });

  itCanBePublished('pulumi');
});
