import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runByPulumi } from '../../support/pulumi-engine.ts';
import { readStackConfig } from '../../support/stack-config.ts';

describe('an example stack, on an engine that only records', () => {
  for (const name of ['dev', 'prod']) {
    it(`${name} is previewed without an error`, async (t) => {
      const start = performance.now();
      const { status, said, registered } = await runByPulumi(readStackConfig(name));
      const seconds = Math.round((performance.now() - start) / 1000);
      t.diagnostic(`${name}: preview: ${registered.length} created, ${seconds} s`);
      assert.equal(status, 0, said);
      assert.ok(registered.filter((each) => each.startsWith('gcp:')).length > 100);
    });
  }
});
