import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Delivered } from '../../shared/deliver-batch.ts';
import { addToTally, emptyTally } from '../../shared/tally.ts';
import { aSettlement } from '../support/claims.ts';
import { aLeasedEvent } from '../support/leased-event.ts';

type Settlement = Parameters<typeof aSettlement>[2];

const delivered = (settlement: Settlement = {}, isSettled = true): Delivered => ({
  event: aLeasedEvent(),
  settlement: aSettlement('1', 'token', settlement),
  isSettled,
});
const count = (...batch: Delivered[]) => {
  const tally = emptyTally();
  addToTally(tally, batch);
  return tally;
};

describe('a tally', () => {
  it('counts every event that was claimed, and what came of it', () => {
    const failed = { outcome: 'permanent', status: 'FAILED_PERMANENTLY' } as const;
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

  it('counts nothing that was refused, but how often that was', () => {
    const failed = { outcome: 'permanent', status: 'FAILED_PERMANENTLY' } as const;

    assert.deepEqual(count(delivered({}, false), delivered(failed, false)), {
      ...emptyTally(),
      claimed: 2,
      stale: 2,
    });
  });

  it('adds one batch to another', () => {
    const tally = emptyTally();
    for (let i = 0; i < 3; i++) addToTally(tally, [delivered()]);

    assert.equal(tally.delivered, 3);
  });
});
