import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleSettings, runOffice } from '../support/office-program.ts';
import { runByPulumi } from '../support/pulumi-engine.ts';
import { readStackConfig } from '../support/stack-config.ts';

describe('the program', () => {
  it("is run by Pulumi's own entry point as it stands", async () => {
    const { status, said, registered } = await runByPulumi(readStackConfig('prod'));
    assert.equal(status, 0, said);
    const { resources } = await runOffice(exampleSettings('prod'), { isPreview: true });
    const expected = resources
      .filter(({ type }) => type.startsWith('gcp:'))
      .map(({ type, name }) => `${type} ${name}`);
    assert.deepEqual(registered.filter((each) => each.startsWith('gcp:')).sort(), expected.sort());
  });

  it('says in a few lines what is wrong with the configuration, and makes nothing', async () => {
    const prod = readStackConfig('prod');
    const values = {
      ...prod.values,
      'dead-letter-office:tier': 'db-f1-micro',
      'dead-letter-office:batchSize': '0',
    };
    const { status, said, registered } = await runByPulumi({ ...prod, values });
    assert.notEqual(status, 0);
    assert.match(said, /The configuration has 2 problems:\n {2}batchSize = "0"\n {4}Use a whole number/);
    assert.doesNotMatch(said, /node_modules|at new /);
    assert.deepEqual(
      registered.filter((each) => !each.startsWith('pulumi:pulumi:Stack')),
      [],
    );
  });
});
