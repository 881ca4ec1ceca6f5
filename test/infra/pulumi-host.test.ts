import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleSettings, runDeployment } from '../support/deployment-program.ts';
import { type Run, runByPulumi } from '../support/pulumi-engine.ts';
import { readStackConfig } from '../support/stack-config.ts';

describe('the Pulumi program', () => {
  let preview: Promise<Run> | undefined;
  const example = () => {
    preview ??= runByPulumi(readStackConfig('prod'));
    return preview;
  };

  it("runs under Pulumi's own entry point", async () => {
    const { status, said, registered } = await example();
    assert.equal(status, 0, said);
    const { resources } = await runDeployment(exampleSettings('prod'), { isPreview: true });
    const expected = resources
      .filter(({ type }) => type.startsWith('gcp:'))
      .map(({ type, name }) => `${type} ${name}`);
    assert.deepEqual(registered.filter((each) => each.startsWith('gcp:')).sort(), expected.sort());
  });

  it('previews an example without a warning but for missing credentials', async () => {
    const { status, said, warnings } = await example();
    assert.equal(status, 0, said);
    assert.deepEqual(
      warnings.map((warning) => warning.split(':').slice(0, 2).join(':')),
      ['The update will be refused: Google credentials'],
    );
  });

  it('asks for a newer Node.js if this one cannot load TypeScript', async () => {
    const { status, said, registered } = await runByPulumi(readStackConfig('dev'), {
      nodeOptions: '--no-experimental-strip-types',
    });
    assert.notEqual(status, 0);
    assert.match(said, /cannot run this program: it needs 22\.18 or newer\. Use `npm run preview`/);
    assert.doesNotMatch(said, /Unknown file extension|node_modules|at new /);
    assert.deepEqual(
      registered.filter((each) => !each.startsWith('pulumi:pulumi:Stack')),
      [],
    );
  });

  it('is refused as an update without credentials, before the first resource', async () => {
    const { status, said, registered } = await runByPulumi(readStackConfig('prod'), { isPreview: false });
    assert.notEqual(status, 0);
    assert.match(
      said,
      /has 1 problem:\n {2}Google credentials = \(not set\)\n {4}Could not load the default/,
    );
    assert.deepEqual(
      registered.filter((each) => !each.startsWith('pulumi:pulumi:Stack')),
      [],
    );
  });

  it('reports invalid settings without a stack trace and creates nothing', async () => {
    const prod = readStackConfig('prod');
    const values = {
      ...prod.values,
      'dead-letter-office:tier': 'db-f1-micro',
      'dead-letter-office:batchSize': '0',
    };
    const { status, said, registered } = await runByPulumi({ ...prod, values });
    assert.notEqual(status, 0);
    assert.match(said, /The configuration has 3 problems:\n {2}batchSize = 0\n {4}Use a whole number/);
    assert.doesNotMatch(said, /node_modules|at new /);
    assert.deepEqual(
      registered.filter((each) => !each.startsWith('pulumi:pulumi:Stack')),
      [],
    );
  });
});
