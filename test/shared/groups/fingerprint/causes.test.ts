import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprint } from '../../../../shared/groups/fingerprint/fingerprint.ts';
import { variantsOf } from './cause-variants.ts';
import { causes } from './causes.ts';

/** `got 122` may be a status code: the same words with a count have two fingerprints. */
const knownSplits: readonly string[] = ['py-unpack-few'];

describe('the failures of a cause', () => {
  for (const cause of causes.filter((each) => !knownSplits.includes(each.cause))) {
    it(`have one fingerprint: ${cause.cause}`, () => {
      assert.equal(new Set(variantsOf(cause).map(fingerprint)).size, 1);
    });
  }

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
