import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openClaimSizes } from '../../../shared/delivery/claim-sizes.ts';

describe('the size of a claim', () => {
  const shop = ['shop'];
  /** Delivers what each claim takes, at `perSecond`, and returns the sizes of the claims. */
  const claimAll = (claims: number, { perSecond, max = 500 }: { perSecond: number; max?: number }) => {
    const sizes = openClaimSizes(max);
    let now = 0;
    return Array.from({ length: claims }, () => {
      const size = sizes.of(shop, now);
      for (let n = 0; n < size; n++) {
        now += 1000 / perSecond;
        sizes.record('shop', now);
      }
      return size;
    });
  };

  it('grows from 50 to the largest while the target answers fast', () => {
    const sizes = claimAll(12, { perSecond: 4000 });
    assert.deepEqual([sizes[0], sizes.at(-1)], [50, 500]);
    for (const [n, size] of sizes.entries()) assert.ok(size <= 2 * (sizes[n - 1] ?? 50), `${sizes}`);
  });

  it('is what a quarter of a second takes to deliver', () => {
    const sizes = claimAll(40, { perSecond: 800 }).slice(10);
    assert.ok(Math.min(...sizes) >= 190 && Math.max(...sizes) <= 210, `${sizes}`);
  });

  it('stays at 50 while the target is slow', () => {
    assert.deepEqual(new Set(claimAll(20, { perSecond: 50 })), new Set([50]));
  });

  it('shrinks to 50 within a second after the target has become slow', () => {
    const sizes = openClaimSizes(500);
    for (let n = 0; n < 1000; n++) sizes.record('shop', 240);
    assert.deepEqual(
      [240, 400, 490, 740, 1000].map((now) => sizes.of(shop, now)),
      [500, 500, 368, 135, 50],
    );
  });

  it('never exceeds the largest, also if that is less than 50', () => {
    assert.deepEqual(new Set(claimAll(20, { perSecond: 4000, max: 20 })), new Set([20]));
  });

  it('of several targets is their sum; a fast one does not enlarge that of a slow one', () => {
    const sizes = openClaimSizes(500);
    for (let n = 0; n < 300; n++) sizes.record(n < 100 ? 'mail' : 'shop', 1);
    const sizeOf = (...targets: string[]) => sizes.of(targets, 1);
    assert.deepEqual(
      [sizeOf('shop', 'mail', 'shop'), sizeOf('shop'), sizeOf('mail'), sizeOf('slow'), sizeOf()],
      [300, 200, 100, 50, 50],
    );
  });
});
