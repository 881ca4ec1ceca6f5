import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { buildBundle } from '../../infra/bundle/build-bundle.ts';
import type { StackConfig } from '../../infra/read-settings.ts';
import { useEmptyDatabases } from '../support/database.ts';
import { useDynamicProvider } from '../support/dynamic-provider.ts';
import { type InstalledComponent, installComponent } from '../support/installed-component.ts';
import { type Run, runByPulumi } from '../support/pulumi-engine.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const migrations = 'pulumi-nodejs:dynamic/dead-letter-office:Migrations dlo-migrations';

function configure(values: Record<string, string>): StackConfig {
  const own = Object.entries(values).map(([key, value]) => [`acme-events:${key}`, value]);
  return {
    namespace: 'acme-events',
    values: { 'gcp:project': 'acme-dev', ...Object.fromEntries(own) },
    secretKeys: [],
  };
}

describe('the installed Pulumi component', () => {
  let installed: InstalledComponent;
  let example: Promise<Run>;
  before(async () => {
    installed = await installComponent();
    await mkdir(path.join(installed.folder, 'other'));
    const config = configure({ deployer: 'user:ana@acme.example' });
    example = runByPulumi(config, { folder: installed.folder });
  });
  after(() => installed.remove());
  const otherProgram = () => path.join(installed.folder, 'other');
  const write = (file: string, text: string) => writeFile(path.join(installed.folder, file), text);
  const compile = (...options: string[]) =>
    run(process.execPath, ['node_modules/typescript/bin/tsc', ...options], { cwd: installed.folder }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
  const anEmptyDatabase = useEmptyDatabases();
  const provider = useDynamicProvider(undefined, undefined, otherProgram);

  it('compiles the example', async () => {
    assert.equal(await compile('--skipLibCheck', '--project', '.'), '');
  });

  it("has types for Pulumi's older templates, and reports a misspelt setting", async () => {
    await write(
      'misspelt.ts',
      `import { DeadLetterOffice } from '@dead-letter-office/pulumi';
       new DeadLetterOffice('x', { project: 'acme-dev', deployer: 'user:ana@acme.example', wrokers: 2 });`,
    );
    const older = [
      '--ignoreConfig',
      '--module',
      'commonjs',
      '--moduleResolution',
      'node10',
      '--ignoreDeprecations',
      '6.0',
    ];
    const errors = await compile(
      '--noEmit',
      '--skipLibCheck',
      '--strict',
      '--target',
      'es2022',
      ...older,
      'misspelt.ts',
    );
    assert.match(errors, /^misspelt\.ts\(2,\d+\): error TS\d+: .*'wrokers' does not exist/);
    assert.equal(errors.trim().split('\n').length, 1, errors);
  });

  it('deploys from the example, with the functions of this repository', async () => {
    const { status, said, warnings, inputs } = await example;
    assert.equal(status, 0, said);
    assert.deepEqual(warnings, []);
    assert.equal(inputs.get('gcp:pubsub/topic:Topic dlo-capture')?.project, 'acme-dev');
    const { hash } = await buildBundle({ root, outDir: path.join(installed.folder, 'bundle') });
    const source = inputs.get('gcp:storage/bucketObject:BucketObject dlo-build-source');
    assert.equal(source?.name, `source-${hash}.zip`);
    const manifest = 'node_modules/@dead-letter-office/pulumi/dist/functions/package-lock.json';
    assert.equal(
      await readFile(path.join(installed.folder, manifest), 'utf8'),
      await readFile(path.join(installed.folder, 'bundle/package-lock.json'), 'utf8'),
    );
  });

  it('has the modules of its dynamic resources', async () => {
    const { inputs } = await example;
    const modules = [...inputs.values()].flatMap(({ code }) => (typeof code === 'string' ? [code] : []));
    assert.ok(modules.length > 1);
    for (const module of new Set(modules)) {
      const { create } = await import(path.join(installed.folder, module));
      assert.equal(typeof create, 'function', module);
    }
  });

  it('reports invalid settings without a stack trace', async () => {
    const { status, said } = await runByPulumi(configure({ deployer: 'ana' }), { folder: installed.folder });
    assert.notEqual(status, 0);
    assert.match(said, /The configuration has \d problems?:\n {2}deployer = "ana"\n/);
    assert.doesNotMatch(said, /^ +at /m);
  });

  it('migrates with its own migrations, also for an ES module', async () => {
    await write('other/package.json', '{ "type": "module" }');
    await write('other/Pulumi.yaml', 'name: other\nruntime: nodejs\n');
    const url = await anEmptyDatabase();
    const names = ['capture', 'retry', 'replay', 'console', 'maintain', 'migrate'];
    const settings = {
      project: 'acme-dev',
      deployer: 'user:ana@acme.example',
      maxConnections: 100,
      databaseUrls: Object.fromEntries(names.map((name) => [name, url])),
    };
    await write(
      'other/index.mjs',
      `import { DeadLetterOffice } from '@dead-letter-office/pulumi';
       new DeadLetterOffice('x', ${JSON.stringify(settings)});`,
    );
    const { said, inputs } = await runByPulumi(configure({}), { folder: otherProgram() });
    const registered = inputs.get(migrations);
    assert.ok(registered, said);
    assert.doesNotMatch(JSON.stringify(registered), new RegExp(installed.folder));
    const { outs } = await provider().create({ ...registered, logins: {} });
    assert.ok((outs.applied as string[]).includes('001_events'));
  });
});
