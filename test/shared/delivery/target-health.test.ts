import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { type Cause, causeOf } from '../../../shared/delivery/cause.ts';
import type { Observed } from '../../../shared/delivery/health-reports.ts';
import type { Leased } from '../../../shared/delivery/picker.ts';
import { watchTargets } from '../../../shared/delivery/target-health.ts';
import type { Meaning } from '../../../shared/delivery/targets/outcome.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the health of a target in one worker', () => {
  const target = 'http://shop/';
  const route = aRouteTo(target, { policy: { breaker: { consecutiveFailures: 3 } } });
  const cause = causeOf(target, 'HTTP 500');
  const observed = (
    meaning: Meaning,
    { before = null as Cause | null, kind = 'a', retryAfterSeconds = 0 } = {},
  ): Observed => ({
    leased: { target, route, cause: before, kind, leasedAt: 1 } as Leased,
    outcome: { kind: 'transient', retryAfterSeconds },
    meaning,
    cause: meaning === 'event' ? cause : null,
  });
  const watch = (...outcomes: readonly (Meaning | Observed)[]) => {
    const health = watchTargets();
    for (const each of outcomes) health.record(typeof each === 'string' ? observed(each) : each);
    return health;
  };
  const isDown = (health: ReturnType<typeof watch>, of = target) => health.of(of).downUntil > 0;
  const row = (count: number, facts: Parameters<typeof observed>[1] = {}) =>
    Array.from({ length: count }, () => observed('event', facts));
  const reportOf = (health: ReturnType<typeof watch>, of: string) =>
    health.takeNews(true).find((report) => report.cause === of);

  it('is down after consecutiveFailures in a row that no event can cause', () => {
    assert.equal(isDown(watch('accepted', 'target', 'target')), false);
    assert.equal(isDown(watch('accepted', 'target', 'target', 'target')), true);
  });

  it('is down after two of them if it has accepted nothing yet', () => {
    assert.equal(isDown(watch('target')), false);
    assert.equal(isDown(watch('target', 'target')), true);
  });

  it('is separate for each target', () => {
    assert.equal(isDown(watch('target', 'target', 'target'), 'http://other/'), false);
  });

  it('is up again after an event is accepted', () => {
    assert.equal(isDown(watch('target', 'target', 'target', 'accepted')), false);
  });

  it('is up while it answers, whatever it answers', () => {
    assert.equal(isDown(watch('accepted', 'target', 'target', 'event', 'target', 'target')), false);
  });

  it('is down after a long row of untried events that all fail', () => {
    assert.equal(isDown(watch(...row(35))), false);
    assert.equal(isDown(watch(...row(36))), true);
  });

  it('is up while the row is no longer than three times one that ended: few events pass', () => {
    assert.equal(isDown(watch(...row(20), 'accepted', ...row(59))), false);
    assert.equal(isDown(watch(...row(20), 'accepted', ...row(5), 'accepted', ...row(59))), false);
    assert.equal(isDown(watch(...row(20), 'accepted', ...row(60))), true);
  });

  it('is up if one of them is accepted', () => {
    assert.equal(isDown(watch(...row(20), 'accepted', ...row(20))), false);
  });

  it('is up though it takes no more for now', () => {
    assert.equal(isDown(watch(...Array.from({ length: 100 }, () => observed('limit')))), false);
  });

  it('learns nothing from an event that failed there before', () => {
    assert.equal(isDown(watch(...row(100, { before: cause }))), false);
  });

  it('is up if only those of one kind fail, of which none was ever accepted', () => {
    assert.equal(isDown(watch(observed('accepted', { kind: 'b' }), ...row(100))), false);
    const before = [...row(1, { kind: 'c' }), observed('accepted', { kind: 'b' })];
    assert.equal(isDown(watch(...before, ...row(100))), false);
  });

  it('is down if those of several kinds fail after one was accepted', () => {
    const failures = [...row(20), ...row(20, { kind: 'b' })];
    assert.equal(isDown(watch(observed('accepted', { kind: 'c' }), ...failures)), true);
  });

  it('has news of acceptances once a second and when nothing is in flight, at once in doubt or after a failure', () => {
    const health = watch('accepted');
    const hasNews = (isIdle: boolean) => health.takeNews(isIdle).length > 0;
    assert.equal(hasNews(false), true);
    health.record(observed('accepted'));
    assert.deepEqual([hasNews(false), hasNews(true)], [false, true]);
    health.record(observed('accepted'));
    health.of(target).isInDoubt = true;
    assert.equal(hasNews(false), true);
    health.of(target).isInDoubt = false;
    health.record(observed('target'));
    assert.equal(hasNews(false), true);
    assert.equal(hasNews(true), false);
  });

  it('is paused for the time that it named, however many were in flight', () => {
    const refused = Array.from({ length: 10 }, () => observed('limit', { retryAfterSeconds: 120 }));
    assert.equal(reportOf(watch(...refused), '0')?.pause, 120);
  });

  describe('pauses', () => {
    const clock = { now: 0 };
    beforeEach(() => {
      clock.now = 0;
      mock.method(performance, 'now', () => clock.now);
    });
    afterEach(() => mock.restoreAll());
    const limit = (retryAfterSeconds = 0) => observed('limit', { retryAfterSeconds });
    /** In seconds: the pause after some outcomes, which passes. */
    const pauseAfter = (health: ReturnType<typeof watch>, ...outcomes: readonly Observed[]) => {
      for (const each of outcomes) health.record(each);
      const seconds = (health.of(target).pausedUntil - clock.now) / 1000;
      clock.now = health.of(target).pausedUntil;
      return seconds;
    };

    it('twice as long after each pause in which it took nothing, up to 15 minutes', () => {
      const health = watch();
      const pauses = Array.from({ length: 12 }, () => pauseAfter(health, limit(), observed('accepted')));
      assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    });

    it('as long as at first once it has taken an event after a pause', () => {
      const health = watch();
      const pauses = [limit(), limit()].map((each) => pauseAfter(health, each));
      assert.deepEqual([...pauses, pauseAfter(health, observed('accepted'), limit())], [1, 2, 1]);
    });

    it('as long as it named, and longer for one in flight that names more than a minute', () => {
      assert.equal(pauseAfter(watch(), limit(3600)), 3600);
      assert.equal(pauseAfter(watch(), limit(10), limit(50)), 10);
      assert.equal(pauseAfter(watch(), limit(10), limit(120)), 120);
    });
  });

  it('reports the failures of a sample to its cause, and not those of a new event', () => {
    const health = watch(observed('event'), observed('event', { before: cause }));
    const { failed, failsAll } = reportOf(health, cause) ?? {};
    assert.deepEqual([failed, failsAll], [1, true]);
  });

  it('counts failures in a row across reports, each of which has the new ones', () => {
    const health = watch('accepted', 'target', 'target');
    const first = reportOf(health, '0');
    health.record(observed('target'));
    const second = reportOf(health, '0');
    const counts = [first, second].map((each) => [each?.passed, each?.failed, each?.failedInRow]);
    assert.deepEqual(counts, [[1, 2, 2], [0, 1, 1]]); // biome-ignore format: a table
    assert.equal(isDown(health), true);
    assert.deepEqual(health.takeNews(true), []);
  });

  const sample = (meaning: Meaning, kind = 'a') => observed(meaning, { before: cause, kind });
  const samples = (count: number, meaning: Meaning, kind = 'a') =>
    Array.from({ length: count }, () => sample(meaning, kind));

  it('leaves a cause alone after five samples that fail, but for the kind of one that is accepted', () => {
    const left = (kind: string, ...sent: readonly Observed[]) =>
      watch(...sent).causes.samplesLeft(cause, kind);
    const mended = [...samples(4, 'event', 'b'), sample('accepted'), sample('event', 'b')];
    assert.equal(left('a', ...samples(4, 'event')), 1);
    assert.equal(left('a', ...samples(5, 'event')), 0);
    assert.equal(left('a', ...mended), Number.POSITIVE_INFINITY);
    assert.equal(left('c', ...mended), 0);
    assert.equal(left('a', ...mended, ...samples(5, 'event')), Number.POSITIVE_INFINITY);
    assert.equal(left('a', ...mended, ...samples(6, 'event')), 0);
  });

  it('takes no sample for one that failed of what no event can cause', () => {
    assert.equal(watch(...samples(5, 'target')).causes.samplesLeft(cause, 'a'), 5);
  });

  it('takes a failure for one of many after a dozen untried events alike, or once others wait for it', () => {
    const isShared = (...sent: readonly Observed[]) => watch(...sent).causes.isShared(cause);
    assert.deepEqual([isShared(...row(12)), isShared(...row(13))], [false, true]);
    assert.equal(isShared(...row(13, { before: causeOf(target, 'HTTP 501') })), false);
    assert.equal(isShared(...row(13), sample('accepted')), false);
    const waiting = watch();
    waiting.causes.samplesLeft(cause, 'a');
    assert.equal(waiting.causes.isShared(cause), true);
  });

  it('reports a sample to its cause, whose breaker asks more rarely than that of the target', () => {
    const reports = (...sent: readonly Observed[]) => {
      const [ofCause, ofTarget] = [reportOf(watch(...sent), cause), reportOf(watch(...sent), '0')];
      return [ofCause, ofTarget].map((each) => [each?.passed, each?.failed, each?.failsAll]);
    };
    assert.deepEqual(reports(sample('accepted')), [[1, 0, false], [1, 0, false]]); // biome-ignore format: a table
    assert.deepEqual(reports(sample('event')), [[0, 1, false], [0, 0, false]]); // biome-ignore format: a table
    const terms = [cause, '0'].map((of) => reportOf(watch(sample('event')), of));
    assert.deepEqual(
      terms.map((each) => [each?.cooldownSeconds, each?.maxCooldownSeconds, each?.failureRatio]),
      [[120, 3600, 1], [30, 900, 0.5]], // biome-ignore format: a table
    );
  });

  it('reports the failures since the latest answer as those in a row, and the answer to the latest', () => {
    const failed = (error: string): Observed => ({
      ...observed('target'),
      outcome: { kind: 'transient', error },
    });
    const report = reportOf(watch(failed('a'), observed('event'), failed('b'), failed('c')), '0');
    const { failed: all, failedInRow, answered, claimedAt, answer } = report ?? {};
    assert.deepEqual([all, failedInRow, answered, claimedAt, answer], [3, 2, 1, 1, 'c']);
  });

  it('leaves a kind alone after as many that fail in a row as were accepted, and five', () => {
    const mended = [...samples(20, 'accepted'), ...samples(24, 'event')];
    assert.equal(watch(...mended).causes.samplesLeft(cause, 'a'), Number.POSITIVE_INFINITY);
    assert.equal(watch(...mended, sample('event')).causes.samplesLeft(cause, 'a'), 0);
    assert.equal(reportOf(watch(...mended), cause)?.consecutiveFailures, 25);
  });
});
