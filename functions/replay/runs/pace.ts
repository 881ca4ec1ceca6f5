import * as v from 'valibot';

const wholeNumber = (least: number, most: number) => {
  const remedy = `Use a whole number from ${least} to ${most}.`;
  return v.pipe(v.number(remedy), v.integer(remedy), v.minValue(least, remedy), v.maxValue(most, remedy));
};
const within = (least: number, most: number) => {
  const remedy = `Use a number from ${least} to ${most}.`;
  return v.pipe(v.number(remedy), v.minValue(least, remedy), v.maxValue(most, remedy));
};

const GateSchema = v.strictObject({
  /** So many of the last deliveries are looked at. */
  window: v.optional(wholeNumber(1, 1000), 50),
  maxFailureRatio: v.optional(within(0, 1), 0.5),
});

/** The fields of a request that say how fast a run may go, and when it stops by itself. */
export const paceFields = {
  /** Deliveries per step, such as [1, 5, 20, 100]; after the last step there is no limit. */
  ramp: v.optional(
    v.pipe(
      v.array(wholeNumber(1, 1_000_000), 'Give a list of whole numbers, such as [1, 5, 20, 100].'),
      v.minLength(1, 'Give at least one step, such as [1, 5, 20, 100].'),
      v.maxLength(50, 'Give at most 50 steps.'),
    ),
  ),
  /** Deliveries after which the run waits for a person. */
  canary: v.optional(wholeNumber(1, 1_000_000)),
  /** By all workers of the run together. */
  ratePerSecond: v.optional(within(0.000_01, 100_000)),
  gate: v.optional(
    v.union(
      [v.literal(false), GateSchema],
      'Give {"window": 50, "maxFailureRatio": 0.5}, or false for none.',
    ),
    {},
  ),
};

const PaceSchema = v.object(paceFields);

export type Pace = v.InferOutput<typeof PaceSchema>;
