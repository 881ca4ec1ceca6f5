import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideNextState } from '../../shared/settlement.ts';
import { aRouteTo } from '../support/routes.ts';

const backoff = { baseSeconds: 10, jitter: 'none' } as const;
const fresh = { retry_count: 0, max_retries: null };
const chance = { maxRetries: 5, random: Math.random };

type Settings = { maxRetries?: number; onAmbiguous?: 'retry' | 'hold' };

const policy = (settings: Settings = {}) =>
  aRouteTo('http://shop/', { policy: { backoff, ...settings } }).policy;

const statusAfter = (event: { retry_count: number; max_retries: number | null }, settings: Settings = {}) =>
  decideNextState(event, policy(settings), { kind: 'transient' }, chance).status;

describe('after a delivery', () => {
  it('an event that was delivered has succeeded, whatever it went through before', () => {
    const tried = { retry_count: 99, max_retries: 1 };

    const next = decideNextState(tried, policy(), { kind: 'delivered' }, chance);

    assert.deepEqual(next, { status: 'SUCCEEDED', isFailure: false, retryInSeconds: null });
  });

  for (const kind of ['transient', 'ambiguous'] as const) {
    it(`an event whose outcome was ${kind} waits for its backoff`, () => {
      const next = decideNextState({ ...fresh, retry_count: 2 }, policy(), { kind }, chance);

      assert.deepEqual(next, { status: 'PENDING', isFailure: true, retryInSeconds: 40 });
    });
  }

  it('an event waits for as long as its target asks, even past the cap', () => {
    const outcome = { kind: 'transient', retryAfterSeconds: 80_000 } as const;

    assert.equal(decideNextState(fresh, policy(), outcome, chance).retryInSeconds, 80_000);
  });

  it('an event waits for its backoff where that is longer than what its target asks', () => {
    const outcome = { kind: 'transient', retryAfterSeconds: 9 } as const;

    assert.equal(decideNextState(fresh, policy(), outcome, chance).retryInSeconds, 10);
  });

  it('an event whose outcome was ambiguous is left to people where its route holds such ones', () => {
    const next = decideNextState(fresh, policy({ onAmbiguous: 'hold' }), { kind: 'ambiguous' }, chance);

    assert.deepEqual(next, { status: 'FAILED_PERMANENTLY', isFailure: true, retryInSeconds: null });
  });

  it('an event whose outcome was transient is tried again though its route holds ambiguous ones', () => {
    assert.equal(statusAfter(fresh, { onAmbiguous: 'hold' }), 'PENDING');
  });

  it('an event that can never be accepted has failed permanently at the first try', () => {
    const next = decideNextState(fresh, policy(), { kind: 'permanent' }, chance);

    assert.deepEqual(next, { status: 'FAILED_PERMANENTLY', isFailure: true, retryInSeconds: null });
  });

  it('an event has failed permanently when its retries are used up, and not one earlier', () => {
    const statuses = [3, 4, 5].map((retry_count) => statusAfter({ ...fresh, retry_count }));

    assert.deepEqual(statuses, ['PENDING', 'FAILED_PERMANENTLY', 'FAILED_PERMANENTLY']);
  });

  it('the limit of its route overrules the general one', () => {
    assert.equal(statusAfter({ retry_count: 5, max_retries: null }, { maxRetries: 7 }), 'PENDING');
    assert.equal(statusAfter({ retry_count: 1, max_retries: null }, { maxRetries: 2 }), 'FAILED_PERMANENTLY');
  });

  it('the limit of the event itself overrules both', () => {
    assert.equal(statusAfter({ retry_count: 8, max_retries: 10 }, { maxRetries: 2 }), 'PENDING');
    assert.equal(statusAfter({ retry_count: 0, max_retries: 1 }, { maxRetries: 2 }), 'FAILED_PERMANENTLY');
  });

  it('a limit of no retries at all is a limit', () => {
    assert.equal(statusAfter(fresh, { maxRetries: 0 }), 'FAILED_PERMANENTLY');
    assert.equal(statusAfter({ retry_count: 0, max_retries: 0 }), 'FAILED_PERMANENTLY');
  });
});
