import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  decideRollout,
  limitInFlight,
  paceNames,
  paceOf,
  type Rollout,
  type RolloutState,
} from '../../../shared/replay/rollout.ts';

type Name = Rollout['pace'];

const rolloutOf = (pace: Name): Rollout => ({ pace, waitForTarget: false, toHeldTargets: false });
const aState = (pace: Name, more: Partial<RolloutState> = {}): RolloutState => ({
  rollout: rolloutOf(pace),
  recent: '',
  doneInStage: 0,
  stageBeganWith: 0,
  ...more,
});
const upTo = (state: RolloutState) => {
  const decision = decideRollout(state);
  return decision.because ?? decision.upTo;
};
const window = 50;

const anyPace = fc.constantFrom(...paceNames);

/** Plays a run of `outcomes` in batches as large as its decisions allow; returns what was done when it paused. */
function play(pace: Name, outcomes: string): { done: number; paused: boolean; batches: number[] } {
  const batches: number[] = [];
  for (let done = 0; done < outcomes.length; ) {
    const recent = outcomes.slice(0, done).slice(-window);
    const decision = decideRollout(aState(pace, { recent, doneInStage: done }));
    if (decision.because !== undefined) return { done, paused: true, batches };
    const batch = Math.min(decision.upTo, outcomes.length, done + 50) - done;
    assert.ok(batch > 0, 'a run that is not paused can start a delivery');
    batches.push(batch);
    done += batch;
  }
  return { done: outcomes.length, paused: false, batches };
}

/** Plays a run whose outcomes arrive one by one, with as many deliveries in flight as its decisions allow. */
function playInFlight(pace: Name, outcomes: string, batchSize: number) {
  let begun = 0;
  for (let judged = 0; judged < outcomes.length; judged += 1) {
    const recent = outcomes.slice(0, judged).slice(-window);
    const state = aState(pace, { recent, doneInStage: judged });
    if (decideRollout(state).because !== undefined) return { judged, begun, isPaused: true };
    begun = Math.max(begun, Math.min(judged + limitInFlight(state, batchSize), outcomes.length));
  }
  return { judged: outcomes.length, begun, isPaused: false };
}

const anyOutcomes = fc.array(fc.constantFrom('d', 't'), { maxLength: 600 }).map((each) => each.join(''));
const failures = (outcomes: string) => outcomes.split('t').length - 1;

describe('the rollout of a run', () => {
  it('grows from step to step, and has no limit after the last', () => {
    const at = (doneInStage: number) => upTo(aState('normal', { doneInStage, recent: 'd'.repeat(50) }));
    assert.deepEqual([0, 1, 10, 60, 260].map(at), [10, 10, 60, 260, Number.POSITIVE_INFINITY]);
  });

  it('starts with the first step again when a run is resumed', () => {
    assert.equal(upTo(aState('normal', { doneInStage: 0, stageBeganWith: 500 })), 510);
  });

  it('does not grow when its target does not take the first event of a ramp', () => {
    const resumed = { doneInStage: 1, stageBeganWith: 1 };
    assert.match(`${upTo(aState('careful', { ...resumed, recent: 't' }))}`, /^The target did not take 1 /);
  });

  it('grows when the first event of a ramp fails because of itself', () => {
    const resumed = { doneInStage: 1, stageBeganWith: 1 };
    assert.equal(upTo(aState('careful', { ...resumed, recent: 'f' })), 7);
  });

  it('goes on while half of all fail because of themselves', () => {
    assert.equal(upTo(aState('fast', { recent: `${'ff'.repeat(24)}dd` })), Number.POSITIVE_INFINITY);
  });

  it('pauses when a dozen failed and none passed', () => {
    assert.equal(upTo(aState('fast', { recent: 'f'.repeat(11) })), Number.POSITIVE_INFINITY);
    assert.match(
      String(upTo(aState('fast', { recent: 'f'.repeat(12) }))),
      /^All of the last 12 deliveries failed\./,
    );
  });

  it('pauses after the canary, and says whether it was delivered', () => {
    assert.equal(upTo(aState('careful')), 1);
    const after = (recent: string) => upTo(aState('careful', { doneInStage: 1, recent }));
    assert.equal(after('d'), 'The canary is done: it was delivered. Check it, then resume.');
    assert.equal(after('f'), 'The canary is done: 1 of 1 failed. Check it, then resume.');
  });

  it('keeps its canary while nothing was delivered, and needs none after that', () => {
    assert.equal(upTo(aState('careful', { stageBeganWith: 0 })), 1);
    assert.equal(upTo(aState('careful', { doneInStage: 1, recent: 'd', stageBeganWith: 1 })), 7);
  });

  it('continues at exactly the failure ratio that the gate allows', () => {
    assert.equal(upTo(aState('fast', { recent: 'dt'.repeat(25) })), Number.POSITIVE_INFINITY);
  });

  it('reports why the gate closed', () => {
    const because = upTo(aState('fast', { doneInStage: 600, recent: `${'d'.repeat(19)}${'t'.repeat(31)}` }));
    assert.match(
      String(because),
      /^The target did not take 31 of the last 50 deliveries \(62 %\): the gate allows 50 %\./,
    );
  });

  it('never starts more deliveries than the completed steps allow', () => {
    fc.assert(
      fc.property(anyPace, anyOutcomes, (pace, outcomes) => {
        const { ramp = [] } = paceOf({ pace });
        const ends = ramp.map((_, i) => ramp.slice(0, i + 1).reduce((a, b) => a + b, 0));
        let done = 0;
        for (const batch of play(pace, outcomes).batches) {
          assert.ok(done + batch <= Math.min(...ends.filter((end) => end > done)));
          done += batch;
        }
      }),
    );
  });

  it('pauses exactly when the failure ratio of a full window is exceeded, without a ramp', () => {
    fc.assert(
      fc.property(fc.constantFrom<Name>('fast', 'ungated'), anyOutcomes, (pace, outcomes) => {
        const { done, paused } = play(pace, outcomes);
        const isBad = (upTo: number) =>
          pace === 'fast' && upTo >= window && failures(outcomes.slice(upTo - window, upTo)) > window / 2;
        const ends = Array.from({ length: Math.ceil(outcomes.length / 50) }, (_, i) => i * 50);
        const expected = ends.find((upTo) => isBad(upTo));
        assert.deepEqual(
          [paused, done],
          expected === undefined ? [false, outcomes.length] : [true, expected],
        );
      }),
    );
  });

  it('completes a run without failures, except for its canary', () => {
    fc.assert(
      fc.property(anyPace, fc.nat({ max: 600 }), (pace, count) => {
        const { done, paused } = play(pace, 'd'.repeat(count));
        const isStopped = pace === 'careful' && count > 1;
        assert.deepEqual([paused, done], isStopped ? [true, 1] : [false, count]);
      }),
    );
  });

  it('exceeds the failures of its gate by at most one batch, however many deliveries are in flight', () => {
    fc.assert(
      fc.property(anyPace, anyOutcomes, fc.integer({ min: 1, max: 60 }), (pace, outcomes, batchSize) => {
        const { judged, begun, isPaused } = playInFlight(pace, outcomes, batchSize);
        if (isPaused && pace === 'fast')
          assert.ok(begun - judged <= batchSize, `${begun} begun, ${judged} judged`);
      }),
    );
  });
});
