import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  decideRollout,
  limitInFlight,
  type Rollout,
  type RolloutState,
} from '../../../shared/replay/rollout.ts';

const gate = { window: 50, maxFailureRatio: 0.5 };
const aState = (more: Partial<RolloutState> & { rollout?: Rollout } = {}): RolloutState => ({
  rollout: { gate },
  recent: '',
  doneInStage: 0,
  stageBeganWith: 0,
  ...more,
});
const upTo = (state: RolloutState) => {
  const decision = decideRollout(state);
  return decision.kind === 'deliver' ? decision.upTo : decision.because;
};

const anyRollout: fc.Arbitrary<Rollout> = fc.record(
  {
    ramp: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 6 }),
    canary: fc.integer({ min: 1, max: 300 }),
    gate: fc.oneof(
      fc.constant(false as const),
      fc.record({
        window: fc.integer({ min: 1, max: 100 }),
        maxFailureRatio: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    ),
  },
  { requiredKeys: ['gate'] },
);

/** Plays a run of `outcomes` in batches as large as its decisions allow; returns what was done when it paused. */
function play(rollout: Rollout, outcomes: string): { done: number; paused: boolean; batches: number[] } {
  const batches: number[] = [];
  for (let done = 0; done < outcomes.length; ) {
    const recent = rollout.gate ? outcomes.slice(0, done).slice(-rollout.gate.window) : '';
    const decision = decideRollout(aState({ rollout, recent, doneInStage: done }));
    if (decision.kind === 'pause') return { done, paused: true, batches };
    const batch = Math.min(decision.upTo, outcomes.length, done + 50) - done;
    assert.ok(batch > 0, 'a run that is not paused can start a delivery');
    batches.push(batch);
    done += batch;
  }
  return { done: outcomes.length, paused: false, batches };
}

/** Plays a run whose outcomes arrive one by one, with as many deliveries in flight as its decisions allow. */
function playInFlight(rollout: { gate: typeof gate }, outcomes: string, batchSize: number) {
  let begun = 0;
  for (let judged = 0; judged < outcomes.length; judged += 1) {
    const recent = outcomes.slice(0, judged).slice(-rollout.gate.window);
    const state = aState({ rollout, recent, doneInStage: judged });
    if (decideRollout(state).kind === 'pause') return { judged, begun, isPaused: true };
    begun = Math.max(begun, Math.min(judged + limitInFlight(state, batchSize), outcomes.length));
  }
  return { judged: outcomes.length, begun, isPaused: false };
}

const anyOutcomes = fc.array(fc.constantFrom('d', 't'), { maxLength: 600 }).map((each) => each.join(''));
const failures = (outcomes: string) => outcomes.split('t').length - 1;

describe('the rollout of a run', () => {
  it('grows from step to step, and has no limit after the last', () => {
    const rollout = { gate, ramp: [1, 5, 20] };
    const at = (doneInStage: number) =>
      upTo(aState({ rollout, doneInStage, recent: 'd'.repeat(doneInStage) }));
    assert.deepEqual([0, 1, 3, 6, 26].map(at), [1, 6, 6, 26, Number.POSITIVE_INFINITY]);
  });

  it('starts with the first step again when a run is resumed', () => {
    const rollout = { gate, ramp: [1, 5, 20] };
    assert.equal(upTo(aState({ rollout, doneInStage: 0, stageBeganWith: 500 })), 501);
  });

  it('does not grow when its target does not take the first event of a ramp', () => {
    const decision = decideRollout(aState({ rollout: { gate, ramp: [1, 5] }, doneInStage: 1, recent: 't' }));
    assert.equal(decision.kind, 'pause');
  });

  it('grows when the first event of a ramp fails because of itself', () => {
    assert.equal(upTo(aState({ rollout: { gate, ramp: [1, 5] }, doneInStage: 1, recent: 'f' })), 6);
  });

  it('goes on while half of all fail because of themselves', () => {
    assert.equal(upTo(aState({ recent: `${'ff'.repeat(24)}dd` })), Number.POSITIVE_INFINITY);
  });

  it('pauses when a dozen failed and none passed', () => {
    assert.equal(upTo(aState({ recent: 'f'.repeat(11) })), Number.POSITIVE_INFINITY);
    assert.match(String(upTo(aState({ recent: 'f'.repeat(12) }))), /^All of the last 12 deliveries failed\./);
  });

  it('pauses after the canary, and reports its outcomes', () => {
    const rollout = { gate, canary: 3 };
    assert.equal(upTo(aState({ rollout })), 3);
    const because = upTo(aState({ rollout, doneInStage: 3, recent: 'ddf' }));
    assert.match(String(because), /The canary of 3 is done, 1 of the last 3 failed\./);
  });

  it('says nothing of outcomes that a run without a gate does not keep', () => {
    const rollout = { gate: false, canary: 1 } as const;
    const decision = decideRollout({ rollout, recent: '', doneInStage: 1, stageBeganWith: 0 });
    assert.deepEqual(decision, {
      kind: 'pause',
      because: 'The canary of 1 is done. Check its events, then resume.',
    });
  });

  it('continues at exactly the failure ratio that the gate allows', () => {
    assert.equal(upTo(aState({ recent: 'dt'.repeat(25) })), Number.POSITIVE_INFINITY);
  });

  it('reports why the gate closed', () => {
    const because = upTo(aState({ doneInStage: 600, recent: `${'d'.repeat(19)}${'t'.repeat(31)}` }));
    assert.match(
      String(because),
      /^The target did not take 31 of the last 50 deliveries \(62 %\): the gate allows 50 %\./,
    );
  });

  it('never starts more deliveries than the completed steps allow', () => {
    fc.assert(
      fc.property(anyRollout, anyOutcomes, (rollout, outcomes) => {
        const { batches } = play(rollout, outcomes);
        const ends = [
          ...(rollout.ramp ?? []).map((_, i, ramp) => ramp.slice(0, i + 1).reduce((a, b) => a + b, 0)),
          rollout.canary,
        ];
        let done = 0;
        for (const batch of batches) {
          const end = Math.min(...ends.filter((each): each is number => each !== undefined && each > done));
          assert.ok(done + batch <= end);
          done += batch;
        }
      }),
    );
  });

  it('pauses exactly when the failure ratio of a full window is exceeded, without ramp or canary', () => {
    fc.assert(
      fc.property(anyRollout, anyOutcomes, ({ gate }, outcomes) => {
        const { done, paused } = play({ gate }, outcomes);
        const isBad = (upTo: number) =>
          gate &&
          upTo >= gate.window &&
          failures(outcomes.slice(upTo - gate.window, upTo)) > gate.maxFailureRatio * gate.window;
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
      fc.property(anyRollout, fc.nat({ max: 600 }), (rollout, count) => {
        const { done, paused } = play(rollout, 'd'.repeat(count));
        const canary = rollout.canary ?? Number.POSITIVE_INFINITY;
        assert.deepEqual([paused, done], canary < count ? [true, canary] : [false, count]);
      }),
    );
  });

  it('exceeds the failures of its gate by at most one batch, however many deliveries are in flight', () => {
    const anyGate = fc.record({
      window: fc.integer({ min: 1, max: 100 }),
      maxFailureRatio: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(anyGate, anyOutcomes, fc.integer({ min: 1, max: 60 }), (anyOf, outcomes, batchSize) => {
        const { judged, begun, isPaused } = playInFlight({ gate: anyOf }, outcomes, batchSize);
        if (isPaused) assert.ok(begun - judged <= batchSize, `${begun} begun, ${judged} judged`);
      }),
    );
  });
});
