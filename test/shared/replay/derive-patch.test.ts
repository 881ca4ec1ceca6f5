import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyPatch, readPatch } from '../../../shared/json/apply-patch.ts';
import { derivePatch } from '../../../shared/replay/derive-patch.ts';
import { tries } from '../../support/sample.ts';

describe('the patch of a difference', () => {
  const derive = (before: string, after: string) => JSON.parse(derivePatch(before, after) ?? '[]');

  it('makes the same change to the message that it was derived from', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.json({ maxDepth: 3 }), (before, after) => {
        const patch = derivePatch(before, after);
        const patched = patch === undefined ? before : applyPatch(before, readPatch(patch));
        const isTooLarge =
          patch === undefined && JSON.stringify(JSON.parse(before)) !== JSON.stringify(JSON.parse(after));
        assert.ok(isTooLarge || sorted(JSON.parse(patched)) === sorted(JSON.parse(after)), patch);
      }),
      { numRuns: tries(500) },
    );
  });

  it('replaces a value only where it is the same as before, and keeps the digits of numbers', () => {
    assert.equal(
      derivePatch('{"a":{"b":1.10}}', '{"a":{"b":12345678901234567890.50}}'),
      '[{"op":"test","path":"/a/b","value":1.10},{"op":"replace","path":"/a/b","value":12345678901234567890.50}]',
    );
  });

  it('keeps the value of each message in a member that got another name', () => {
    assert.deepEqual(derive('{"currencyCode":"EUR","n":1}', '{"currency":"EUR","n":1}'), [
      { op: 'move', from: '/currencyCode', path: '/currency' },
    ]);
  });

  it('adds and removes members, and escapes their names', () => {
    assert.deepEqual(derive('{"a/b":1}', '{"c~d":{"e":2}}'), [
      { op: 'add', path: '/c~0d', value: { e: 2 } },
      { op: 'remove', path: '/a~1b' },
    ]);
  });

  it('is none for equal messages, and for those that are not JSON', () => {
    assert.equal(derivePatch('{"a":1.0}', '{ "a": 1 }'), undefined);
    assert.equal(derivePatch('hello', '{"a":1}'), undefined);
  });
});

/** JSON with its members in order; a name that occurs twice makes no patch. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
