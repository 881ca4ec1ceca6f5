import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideNextState } from '../../../../shared/delivery/policy/next-state.ts';
import { aRouteTo } from '../../../support/routes.ts';

const backoff = { baseSeconds: 10, jitter: 'none' } as const;
const fresh = { retryCount: 0, maxRetries: null };

type Settings = { maxRetries?: number; onAmbiguous?: 'retry' | 'hold' };

const terms = (settings: Settings = {}) => {
  const { policy } = aRouteTo('http://shop/', { policy: { backoff, ...settings } });
  return { policy, maxRetries: 5, random: Math.random };
};

const statusAfter = (event: { retryCount: number; maxRetries: number | null }, settings: Settings = {}) =>
  decideNextState(event, { kind: 'transient' }, terms(settings)).status;

describe('after a delivery', () => {
  it('a delivered event is SUCCEEDED, and waits for its backoff if its consumer reports a failure', () => {
    const tried = { retryCount: 2, maxRetries: 1 };

    const next = decideNextState(tried, { kind: 'delivered' }, terms());

    assert.deepEqual(next, { status: 'SUCCEEDED', retryInSeconds: 40 });
  });

  for (const kind of ['transient', 'ambiguous'] as const) {
    it(`an event with a ${kind} outcome waits for its backoff`, () => {
      const next = decideNextState({ ...fresh, retryCount: 2 }, { kind }, terms());

      assert.deepEqual(next, { status: 'PENDING', retryInSeconds: 40 });
    });
  }

  it('an event waits for the Retry-After of its target, even past the cap', () => {
    const outcome = { kind: 'transient', retryAfterSeconds: 80_000 } as const;

    assert.equal(decideNextState(fresh, outcome, terms()).retryInSeconds, 80_000);
  });

  it('an event waits for its backoff if that is longer than Retry-After', () => {
    const outcome = { kind: 'transient', retryAfterSeconds: 9 } as const;

    assert.equal(decideNextState(fresh, outcome, terms()).retryInSeconds, 10);
  });

  it('an event with an ambiguous outcome fails permanently if its route holds such events', () => {
    const next = decideNextState(fresh, { kind: 'ambiguous' }, terms({ onAmbiguous: 'hold' }));

    assert.deepEqual(next, { status: 'FAILED_PERMANENTLY', retryInSeconds: null });
  });

  it('an event with a transient outcome is retried even if its route holds ambiguous ones', () => {
    assert.equal(statusAfter(fresh, { onAmbiguous: 'hold' }), 'PENDING');
  });

  it('an event with a permanent outcome fails permanently at the first attempt', () => {
    const next = decideNextState(fresh, { kind: 'permanent' }, terms());

    assert.deepEqual(next, { status: 'FAILED_PERMANENTLY', retryInSeconds: null });
  });

  it('an event fails permanently with its last retry, and not one earlier', () => {
    const statuses = [3, 4, 5].map((retryCount) => statusAfter({ ...fresh, retryCount }));

    assert.deepEqual(statuses, ['PENDING', 'FAILED_PERMANENTLY', 'FAILED_PERMANENTLY']);
  });

  it('the retry limit of a route takes precedence over the general one', () => {
    assert.equal(statusAfter({ retryCount: 5, maxRetries: null }, { maxRetries: 7 }), 'PENDING');
    assert.equal(statusAfter({ retryCount: 1, maxRetries: null }, { maxRetries: 2 }), 'FAILED_PERMANENTLY');
  });

  it('the retry limit of an event takes precedence over both', () => {
    assert.equal(statusAfter({ retryCount: 8, maxRetries: 10 }, { maxRetries: 2 }), 'PENDING');
    assert.equal(statusAfter({ retryCount: 0, maxRetries: 1 }, { maxRetries: 2 }), 'FAILED_PERMANENTLY');
  });

  it('a retry limit of zero is respected', () => {
    assert.equal(statusAfter(fresh, { maxRetries: 0 }), 'FAILED_PERMANENTLY');
    assert.equal(statusAfter({ retryCount: 0, maxRetries: 0 }), 'FAILED_PERMANENTLY');
  });
});
