import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { fingerprint } from '../../../shared/fingerprint/fingerprint.ts';
import { normalizeMessage } from '../../../shared/fingerprint/normalize-message.ts';
import { variantsOf } from './cause-variants.ts';
import { causes } from './causes.ts';

const run = promisify(execFile);

/** `got 122` may be a status code: the same words with a count have two fingerprints. */
const knownSplits: readonly string[] = ['py-unpack-few'];

describe('the failures of a cause', () => {
  for (const cause of causes.filter((each) => !knownSplits.includes(each.cause))) {
    it(`have one fingerprint: ${cause.cause}`, () => {
      const [first, ...others] = variantsOf(cause).map((failure) => ({
        fingerprint: fingerprint(failure),
        compared: normalizeMessage(failure.errorReason ?? ''),
      }));
      for (const other of others)
        if (other.fingerprint !== first?.fingerprint) assert.deepEqual(other, first);
    });
  }

  it('have the same fingerprints where V8 does not optimize expressions, as in a process with many of them', async () => {
    const script = new URL('../../support/print-fingerprints.ts', import.meta.url).pathname;
    const { stdout } = await run(process.execPath, ['--no-regexp-optimization', script]);
    assert.deepEqual(JSON.parse(stdout), causes.flatMap(variantsOf).map(fingerprint));
  });

  it('share a fingerprint with no other cause', () => {
    const groups = Map.groupBy(
      causes.flatMap((each) =>
        variantsOf(each).map((failure) => ({ cause: each.cause, fingerprint: fingerprint(failure) })),
      ),
      (each) => each.fingerprint,
    );
    const shared = [...groups.values()].flatMap((group) => {
      const names = [...new Set(group.map(({ cause }) => cause))];
      return names.length > 1 ? names : [];
    });
    assert.deepEqual(shared, []);
  });
});
