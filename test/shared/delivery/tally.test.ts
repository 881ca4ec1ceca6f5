import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Settled } from '../../../shared/delivery/settlement.ts';
import { addSettled, emptyTally, type Tallies } from '../../../shared/delivery/tally.ts';
import { aSettlement } from '../../support/claims.ts';

type Settlement = Parameters<typeof aSettlement>[2];

const delivered = (settlement: Settlement = {}, isSettled = true) => ({
  settlement: aSettlement('1', 'token', settlement),
  isSettled,
});
const count = (...batch: Pick<Settled, 'settlement' | 'isSettled'>[]) => {
  const tallies: Tallies = { all: emptyTally(), targets: {} };
  addSettled(tallies, batch);
  return tallies.all;
};

describe('a tally', () => {
  it('counts every claimed event and its outcome', () => {
    const failed = { outcome: 'permanent', status: 'FAILED_PERMANENTLY', isFailure: true } as const;
    const late = { outcome: null, status: 'PENDING' } as const;

    assert.deepEqual(count(delivered(), delivered(failed), delivered(late)), {
      ...emptyTally(),
      claimed: 3,
      delivered: 1,
      permanent: 1,
      failedPermanently: 1,
      released: 1,
    });
  });

  it('counts rejected settlements only as stale', () => {
    const failed = { outcome: 'permanent', status: 'FAILED_PERMANENTLY', isFailure: true } as const;

    assert.deepEqual(count(delivered({}, false), delivered(failed, false)), {
      ...emptyTally(),
      claimed: 2,
      stale: 2,
    });
  });

  it('adds one batch to another', () => {
    const tallies: Tallies = { all: emptyTally(), targets: {} };
    for (let i = 0; i < 3; i++) addSettled(tallies, [delivered()]);

    assert.deepEqual([tallies.all.delivered, tallies.targets['http://shop/']?.delivered], [3, 3]);
  });
});
