import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PolicySchema } from '../../shared/policy.ts';
import { check } from '../../shared/validate.ts';

const read = (policy: object) => {
  const checked = check(PolicySchema, policy);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.value;
};
const problemsOf = (policy: object) => {
  const checked = check(PolicySchema, policy);
  return checked.ok ? [] : checked.problems.map(({ field, remedy }) => `${field}: ${remedy}`);
};
const problemsOfBackoff = (backoff: unknown) =>
  problemsOf({ backoff }).map((problem) => problem.replace('backoff.', ''));

describe('a policy', () => {
  it('takes each setting as it is given', () => {
    const policy = {
      backoff: { kind: 'exponential', baseSeconds: 1, factor: 3, capSeconds: 9, jitter: 'decorrelated' },
      maxRetries: 7,
      timeoutSeconds: 5,
      concurrency: 2,
      ratePerSecond: 0.5,
      onAmbiguous: 'hold',
      outcomes: { 404: 'permanent', '5xx': 'ambiguous' },
      breaker: {
        consecutiveFailures: 3,
        failureRatio: 0.9,
        minimumDeliveries: 10,
        cooldownSeconds: 5,
        maxCooldownSeconds: 60,
      },
    };

    assert.deepEqual(read(policy), policy);
  });

  it('names every problem with its place and a remedy', () => {
    const policy = {
      ratePerSecond: 0,
      onAmbiguous: 'ask',
      breaker: { consecutiveFailures: 0, failureRatio: 1.5, minimumDeliveries: '20' },
    };

    assert.deepEqual(problemsOf(policy), [
      'ratePerSecond: Must be at least 0.00001.',
      'onAmbiguous: Use "retry" or "hold".',
      'breaker.consecutiveFailures: Must be at least 1.',
      'breaker.failureRatio: Must be at most 1.',
      'breaker.minimumDeliveries: Give it as a number.',
    ]);
  });

  it('is refused where a breaker would first rest for longer than it ever may', () => {
    assert.deepEqual(problemsOf({ breaker: { cooldownSeconds: 901 } }), [
      'breaker.maxCooldownSeconds: Must not be less than cooldownSeconds: raise it, or lower that.',
    ]);
  });
});

describe('a backoff', () => {
  it('is exponential without a kind', () => {
    const { backoff } = read({ backoff: { baseSeconds: 5 } });

    assert.deepEqual(backoff, {
      kind: 'exponential',
      baseSeconds: 5,
      factor: 2,
      capSeconds: 21_600,
      jitter: 'full',
    });
  });

  for (const stated of [
    { kind: 'fixed', delaySeconds: 300 },
    { kind: 'schedule', delaysSeconds: [60, 300] },
  ]) {
    it(`that is ${stated.kind} waits as it says, but for a jitter that is asked for`, () => {
      assert.deepEqual(read({ backoff: stated }).backoff, { ...stated, jitter: 'none' });
      assert.equal(read({ backoff: { ...stated, jitter: 'equal' } }).backoff.jitter, 'equal');
    });

    it(`that is ${stated.kind} cannot have the jitter that belongs to an exponential one`, () => {
      assert.deepEqual(problemsOfBackoff({ ...stated, jitter: 'decorrelated' }), [
        'jitter: Use "none", "full" or "equal"; "decorrelated" goes with exponential backoff only.',
      ]);
    });
  }

  it('is refused with a kind that is not known', () => {
    assert.deepEqual(problemsOfBackoff({ kind: 'linear' }), [
      'kind: Use one of "exponential" | "fixed" | "schedule".',
    ]);
  });

  it('is refused without the delays that its kind needs', () => {
    assert.deepEqual(problemsOfBackoff({ kind: 'fixed' }), ['delaySeconds: Required: add it.']);
    assert.deepEqual(problemsOfBackoff({ kind: 'schedule', delaysSeconds: [] }), [
      'delaysSeconds: Give at least one delay, in seconds.',
    ]);
  });

  it('is refused with a setting that belongs to another kind', () => {
    assert.deepEqual(problemsOfBackoff({ kind: 'fixed', delaySeconds: 1, capSeconds: 9 }), [
      'capSeconds: No such field: correct its name or remove it.',
    ]);
  });

  it('is refused with the place of the delay that is wrong', () => {
    assert.deepEqual(problemsOfBackoff({ kind: 'schedule', delaysSeconds: [60, -1, '5'] }), [
      'delaysSeconds[1]: Must be at least 0 seconds.',
      'delaysSeconds[2]: Give it as a number of seconds.',
    ]);
  });
});

describe('an outcome', () => {
  for (const sign of [
    '404',
    '5xx',
    'ECONNRESET',
    'CERT_HAS_EXPIRED',
    'grpc:5',
    'grpc:NOT_FOUND',
    'timeout',
  ]) {
    it(`can be said of ${sign}`, () => {
      assert.deepEqual(read({ outcomes: { [sign]: 'permanent' } }).outcomes, { [sign]: 'permanent' });
    });
  }

  it('cannot be said of what no delivery can show', () => {
    const [problem] = problemsOf({ outcomes: { ECONRESET: 'transient' } });

    assert.match(problem ?? '', /^outcomes\.ECONRESET: Name an HTTP status/);
  });

  it('is one of four', () => {
    assert.deepEqual(problemsOf({ outcomes: { 404: 'never' } }), [
      'outcomes.404: Use "delivered", "transient", "permanent" or "ambiguous".',
    ]);
  });
});
