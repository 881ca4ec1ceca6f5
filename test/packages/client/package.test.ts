import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type InstalledClient, installClient } from '../../support/client/install-client.ts';
import { itCanBePublished } from '../../support/it-can-be-published.ts';
import { isItsTurn } from '../../support/taken-in-turn.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const readme = readFileSync(path.join(root, 'packages/client/README.md'), 'utf8');
const samples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

describe('the installed client', { skip: !isItsTurn('client') }, () => {
  let installed: InstalledClient;
  before(async () => {
    installed = await installClient();
  });
  after(() => installed.remove());

  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: installed.folder,
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  /** Writes programs and returns the errors of the compiler, which takes seconds to read its libraries. */
  const check = async (files: Readonly<Record<string, string>>) => {
    for (const [name, code] of Object.entries(files)) {
      await writeFile(path.join(installed.folder, name), code);
    }
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--esModuleInterop', '--module', 'nodenext'];
    const types = ['--target', 'es2024', '--types', 'node'];
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    return run(tsc, ...options, ...types, ...Object.keys(files)).output;
  };

  it('has the code and the types of both module systems, and no dependency', () => {
    const { dependencies } = JSON.parse(
      readFileSync(path.join(root, 'packages/client/package.json'), 'utf8'),
    );
    assert.equal(dependencies, undefined);
    for (const file of ['package.json', 'README.md', 'dist/LICENSE'])
      assert.ok(installed.files.includes(file), file);
    for (const format of ['esm', 'cjs']) {
      assert.ok(installed.files.includes(`dist/${format}/client.js`));
      assert.ok(installed.files.includes(`dist/${format}/client.d.ts`));
    }
    assert.deepEqual(
      installed.files.filter((file) => !/^(dist\/|package\.json$|README\.md$)/.test(file)),
      [],
    );
  });

  for (const [name, code] of [
    ['imports.mjs', `import { deadLetters } from '@dead-letter-office/client';`],
    ['requires.cjs', `const { deadLetters } = require('@dead-letter-office/client');`],
  ] as const) {
    it(`runs in a program that ${name.split('.')[0]} it`, async () => {
      const program = `${code}
        const options = { capture: 'http://127.0.0.1:9/', consumer: 'billing', attempts: 1, warn: console.log };
        const { wrap } = deadLetters({ ...options, from: (body) => ({ body }) });
        wrap(() => { throw new Error('no stock'); })('text').catch((error) => console.log(error.message));`;
      await writeFile(path.join(installed.folder, name), program);
      const { status, output } = run(name);
      assert.equal(status, 0, output);
      assert.match(output, /stays with its broker: http:\/\/127.*\nno stock\n/s);
    });
  }

  it('has types for each sample of its README and for CommonJS, and reports a misspelt option', async () => {
    assert.ok(samples.length >= 10);
    const files = samples.map((code, i) => [`sample-${i}.mts`, code]);
    const misspelt = `import client = require('@dead-letter-office/client');
      client.deadLetters({ capture: 'https://x', consumer: 'billing', from: 'pubsub', tiemoutMs: 1 });`;
    const output = await check({ ...Object.fromEntries(files), 'misspelt.cts': misspelt });
    assert.match(output, /^misspelt\.cts\(2,\d+\): error TS\d+: .*'tiemoutMs' does not exist/s);
    assert.equal(output.match(/error TS/g)?.length, 1, output);
  });

  itCanBePublished('client');
});
