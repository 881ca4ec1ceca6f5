import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchTargets } from '../../../shared/delivery/target-health.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the health of a target in one worker', () => {
  const { breaker } = aRouteTo('http://shop/', { policy: { breaker: { consecutiveFailures: 3 } } }).policy;
  const watch = (...outcomes: ('delivered' | 'transient' | 'permanent' | 'ambiguous')[]) => {
    const health = watchTargets();
    for (const outcome of outcomes)
      health.record('http://shop/', breaker, { outcome, claimedAt: Date.now() / 1000 });
    return health;
  };

  it('is down after consecutiveFailures failures in a row', () => {
    assert.equal(watch('transient', 'ambiguous').isDown('http://shop/'), false);
    assert.equal(watch('transient', 'ambiguous', 'transient').isDown('http://shop/'), true);
  });

  it('is separate for each target', () => {
    assert.equal(watch('transient', 'transient', 'transient').isDown('http://other/'), false);
  });

  for (const answer of ['delivered', 'permanent'] as const) {
    it(`is up again after an outcome is ${answer}`, () => {
      const health = watch('transient', 'transient', 'transient', answer);
      assert.equal(health.isDown('http://shop/'), false);
    });
  }

  it('has news from a target without a breaker once a second, and at once after a failure', () => {
    const health = watch('delivered');
    assert.equal(health.hasNews(), true);
    health.takeReports();
    health.confirm(['http://shop/']);
    const record = (target: string, outcome: 'delivered' | 'transient') => {
      health.record(target, breaker, { outcome, claimedAt: Date.now() });
      return health.hasNews();
    };
    assert.equal(record('http://shop/', 'delivered'), false);
    assert.equal(record('http://shop/', 'transient'), true);
    health.takeReports();
    assert.equal(record('http://other/', 'delivered'), true);
  });

  it('counts failures in a row across settlements, each of which reports the new ones', () => {
    const health = watch('delivered', 'transient', 'transient');
    const [first] = health.takeReports();
    health.record('http://shop/', breaker, { outcome: 'transient', claimedAt: Date.now() / 1000 });
    const [second] = health.takeReports();
    const counts = [first, second].map((each) => [each?.answered, each?.failed, each?.failedInRow]);
    assert.deepEqual(counts, [
      [1, 2, 2],
      [0, 1, 1],
    ]);
    assert.equal(health.isDown('http://shop/'), true);
    assert.deepEqual(health.takeReports(), []);
  });
});
