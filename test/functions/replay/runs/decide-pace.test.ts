import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Course, decidePace } from '../../../../functions/replay/runs/decide-pace.ts';
import type { Pace } from '../../../../functions/replay/runs/pace.ts';

const gate = { window: 50, maxFailureRatio: 0.5 };
const course = (more: Partial<Course> & { pace?: Pace } = {}): Course => ({
  pace: { gate },
  recent: '',
  done_in_leg: 0,
  leg_began_with: 0,
  ...more,
});
const upTo = (given: Course) => {
  const decision = decidePace(given);
  return decision.act === 'deliver' ? decision.upTo : decision.because;
};

const anyPace: fc.Arbitrary<Pace> = fc.record(
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

/** Plays a run of `outcomes` by its decisions, in batches as large as they allow; what had been done when it paused. */
function play(pace: Pace, outcomes: string): { done: number; paused: boolean; batches: number[] } {
  const batches: number[] = [];
  for (let done = 0; done < outcomes.length; ) {
    const recent = pace.gate ? outcomes.slice(0, done).slice(-pace.gate.window) : '';
    const decision = decidePace(course({ pace, recent, done_in_leg: done }));
    if (decision.act === 'pause') return { done, paused: true, batches };
    const batch = Math.min(decision.upTo, outcomes.length, done + 50) - done;
    assert.ok(batch > 0, 'a run that is not paused can go on');
    batches.push(batch);
    done += batch;
  }
  return { done: outcomes.length, paused: false, batches };
}

const anyOutcomes = fc.array(fc.constantFrom('d', 'f'), { maxLength: 600 }).map((each) => each.join(''));
const failures = (outcomes: string) => outcomes.split('f').length - 1;

describe('the pace of a run', () => {
  it('grows from step to step, and knows no limit after the last', () => {
    const pace = { gate, ramp: [1, 5, 20] };
    const at = (done_in_leg: number) => upTo(course({ pace, done_in_leg, recent: 'd'.repeat(done_in_leg) }));
    assert.deepEqual([0, 1, 3, 6, 26].map(at), [1, 6, 6, 26, Number.POSITIVE_INFINITY]);
  });

  it('starts small again when a run is resumed', () => {
    const pace = { gate, ramp: [1, 5, 20] };
    assert.equal(upTo(course({ pace, done_in_leg: 0, leg_began_with: 500 })), 501);
  });

  it('does not grow when the first event of a ramp fails', () => {
    const decision = decidePace(course({ pace: { gate, ramp: [1, 5] }, done_in_leg: 1, recent: 'f' }));
    assert.equal(decision.act, 'pause');
  });

  it('stops for a person after the canary, and says how it went', () => {
    const pace = { gate, canary: 3 };
    assert.equal(upTo(course({ pace })), 3);
    const because = upTo(course({ pace, done_in_leg: 3, recent: 'ddf' }));
    assert.match(String(because), /The canary of 3 is through, 1 of the last 3 failed\./);
  });

  it('goes on where exactly as many failed as the gate lets pass', () => {
    assert.equal(upTo(course({ recent: 'df'.repeat(25) })), Number.POSITIVE_INFINITY);
  });

  it('says why the gate closed', () => {
    const because = upTo(course({ done_in_leg: 600, recent: `${'d'.repeat(19)}${'f'.repeat(31)}` }));
    assert.match(String(because), /^31 of the last 50 deliveries failed \(62 %\): the gate lets 50 % pass\./);
  });

  it('never lets more begin than the steps that are done allow', () => {
    fc.assert(
      fc.property(anyPace, anyOutcomes, (pace, outcomes) => {
        const { batches } = play(pace, outcomes);
        const ends = [
          ...(pace.ramp ?? []).map((_, i, ramp) => ramp.slice(0, i + 1).reduce((a, b) => a + b, 0)),
          pace.canary,
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

  it('pauses exactly where too large a share of a full window failed, without ramp or canary', () => {
    fc.assert(
      fc.property(anyPace, anyOutcomes, ({ gate }, outcomes) => {
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

  it('lets a run in which nothing fails go through, but for its canary', () => {
    fc.assert(
      fc.property(anyPace, fc.nat({ max: 600 }), (pace, count) => {
        const { done, paused } = play(pace, 'd'.repeat(count));
        const canary = pace.canary ?? Number.POSITIVE_INFINITY;
        assert.deepEqual([paused, done], canary < count ? [true, canary] : [false, count]);
      }),
    );
  });
});
