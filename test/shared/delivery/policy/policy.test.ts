import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check } from '../../../../shared/config/validate.ts';
import { PolicySchema } from '../../../../shared/delivery/policy/policy.ts';

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
  it('accepts each field', () => {
    const policy = {
      backoff: { kind: 'exponential', baseSeconds: 1, factor: 3, capSeconds: 9, jitter: 'equal' },
      maxRetries: 7,
      timeoutSeconds: 5,
      concurrency: 2,
      ratePerSecond: 0.5,
      onAmbiguous: 'hold',
      outcomes: { 404: 'permanent', '5xx': 'ambiguous' },
      errorClasses: { 'java.net.*': 'transient', '*Exception': 'permanent' },
      maxAge: '7d',
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

  it('reports every problem with its path and a remedy', () => {
    const policy = {
      ratePerSecond: 0,
      onAmbiguous: 'ask',
      errorClasses: { ValidationError: 'fatal', '': 'permanent' },
      breaker: { consecutiveFailures: 0, failureRatio: 1.5, minimumDeliveries: '20' },
    };

    assert.deepEqual(problemsOf(policy), [
      'ratePerSecond: Must be at least 0.00001.',
      'onAmbiguous: Use "retry" or "hold".',
      'errorClasses.ValidationError: Use "transient" or "permanent".',
      'errorClasses.: Name a class, such as "ValidationError"; * stands for any text.',
      'breaker.consecutiveFailures: Use a whole number from 1 to 100000.',
      'breaker.failureRatio: Must be at most 1.',
      'breaker.minimumDeliveries: Use a whole number from 1 to 100000.',
    ]);
  });

  it('is rejected if its maxAge is not an age of one second to ten years', () => {
    const remedy = 'maxAge: Give an age of one second to ten years, such as "90s", "36h" or "7d".';
    for (const maxAge of ['0s', '3651d', '7', 'a week', '-1d', '1.5h', 7, null]) {
      assert.deepEqual(problemsOf({ maxAge }), [remedy]);
    }
  });

  it('is rejected if the cooldown of a breaker exceeds its maximum', () => {
    assert.deepEqual(problemsOf({ breaker: { cooldownSeconds: 901 } }), [
      'breaker.maxCooldownSeconds: Must not be less than cooldownSeconds: raise it, or lower that.',
    ]);
  });
});

describe('a backoff', () => {
  it('is exponential by default', () => {
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
    it(`of kind ${stated.kind} is exact unless jitter is configured`, () => {
      assert.deepEqual(read({ backoff: stated }).backoff, { ...stated, jitter: 'none' });
      assert.equal(read({ backoff: { ...stated, jitter: 'equal' } }).backoff.jitter, 'equal');
    });
  }

  it('is rejected if its jitter is unknown', () => {
    assert.deepEqual(problemsOfBackoff({ jitter: 'some' }), ['jitter: Use "none", "full" or "equal".']);
  });

  it('is rejected if its kind is unknown', () => {
    assert.deepEqual(problemsOfBackoff({ kind: 'linear' }), [
      'kind: Use one of "exponential" | "fixed" | "schedule".',
    ]);
  });

  it('is rejected without the delays of its kind', () => {
    assert.deepEqual(problemsOfBackoff({ kind: 'fixed' }), ['delaySeconds: Required: add it.']);
    assert.deepEqual(problemsOfBackoff({ kind: 'schedule', delaysSeconds: [] }), [
      'delaysSeconds: Give at least one delay, in seconds.',
    ]);
  });

  it('is rejected with a field of another kind', () => {
    assert.deepEqual(problemsOfBackoff({ kind: 'fixed', delaySeconds: 1, capSeconds: 9 }), [
      'capSeconds: No such field: correct its name or remove it.',
    ]);
  });

  it('is rejected with the index of the invalid delay', () => {
    assert.deepEqual(problemsOfBackoff({ kind: 'schedule', delaysSeconds: [60, -1, '5'] }), [
      'delaysSeconds[1]: Must be at least 0 seconds.',
      'delaysSeconds[2]: Give it as a number of seconds.',
    ]);
  });
});

describe('an outcome', () => {
  for (const code of [
    '404',
    '5xx',
    'ECONNRESET',
    'CERT_HAS_EXPIRED',
    'grpc:5',
    'grpc:NOT_FOUND',
    'timeout',
  ]) {
    it(`can be configured for ${code}`, () => {
      assert.deepEqual(read({ outcomes: { [code]: 'permanent' } }).outcomes, { [code]: 'permanent' });
    });
  }

  it('cannot be configured for an unknown reason code', () => {
    const [problem] = problemsOf({ outcomes: { ECONRESET: 'transient' } });

    assert.match(problem ?? '', /^outcomes\.ECONRESET: Name an HTTP status/);
  });

  it('is one of four kinds', () => {
    assert.deepEqual(problemsOf({ outcomes: { 404: 'never' } }), [
      'outcomes.404: Use "delivered", "transient", "permanent" or "ambiguous".',
    ]);
  });
});
