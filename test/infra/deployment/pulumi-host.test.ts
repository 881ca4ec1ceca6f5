import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { deployed } from '../../support/deployment-program.ts';
import { runByPulumi } from '../../support/pulumi-engine.ts';
import { itTriesOne } from '../../support/sample.ts';
import { readStackConfig } from '../../support/stack-config.ts';

describe('the Pulumi program', () => {
  // Each takes seconds: Pulumi starts a process and loads its provider.
  itTriesOne('Pulumi', {
    "runs under Pulumi's own entry point, without a warning": async () => {
      const { status, said, registered, warnings } = await runByPulumi(readStackConfig('prod'));
      assert.equal(status, 0, said);
      const { resources } = await deployed('prod', { isPreview: true });
      const expected = resources.map(({ type, name }) => `${type} ${name}`);
      assert.deepEqual(registered.filter((each) => !each.startsWith('pulumi:')).sort(), expected.sort());
      assert.deepEqual(warnings, []);
    },

    'is refused with invalid settings, before the first resource': async () => {
      const prod = readStackConfig('prod');
      const own = { 'dead-letter-office:batchSize': '0', 'dead-letter-office:region': 'Europe' };
      const values = { ...prod.values, ...own };
      const { status, said, registered } = await runByPulumi({ ...prod, values }, { isPreview: false });
      assert.notEqual(status, 0);
      assert.match(said, /The configuration has 2 problems:\n {2}region = "Europe"\n {4}Must be a region/);
      assert.match(said, /\n {2}batchSize = 0\n {4}Use a whole number/);
      assert.doesNotMatch(said, /node_modules|at new /);
      assert.deepEqual(
        registered.filter((each) => !each.startsWith('pulumi:')),
        [],
      );
    },

    'names a function that was never built, without a stack trace': async () => {
      const options = { isPreview: false, neverMade: 'dlo-maintain-function' };
      const { status, said } = await runByPulumi(readStackConfig('prod'), options);
      assert.notEqual(status, 0);
      assert.match(said, /dlo-maintain has no URL: it was never built\. Run this command again\./);
      assert.doesNotMatch(said, /\n +at /);
    },
  });

  it('asks for a newer Node.js if this one cannot load TypeScript', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--no-experimental-strip-types', 'infra/start.mjs'],
      { encoding: 'utf8' },
    );
    assert.notEqual(status, 0);
    assert.match(stderr, /cannot run this program: it needs 22\.18 or newer\. Use `npm run preview`/);
    assert.doesNotMatch(stderr, /Unknown file extension/);
  });
});
