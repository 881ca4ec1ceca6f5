import * as v from 'valibot';
import { TimeSchema } from '../config/time.ts';
import { wholeNumber } from '../config/whole-number.ts';
import { described } from '../response-values.ts';

const within = (min: number, max: number) => {
  const remedy = `Use a number from ${min} to ${max}.`;
  return v.pipe(v.number(remedy), v.minValue(min, remedy), v.maxValue(max, remedy));
};

const GateSchema = v.strictObject({
  window: v.optional(described(wholeNumber(1, 1000), 'The number of latest deliveries.'), 50),
  maxFailureRatio: v.optional(within(0, 1), 0.5),
});

/** A member of a request that is false unless it is set. */
export const flag = (description: string) =>
  v.optional(described(v.boolean('Use true or false.'), description), false);

/** The fields of a request that limit the speed of a run and pause it. */
export const rolloutFields = {
  startAt: v.optional(
    described(TimeSchema, 'Delivers nothing before: the first tick after this time starts the run.'),
  ),
  notAfter: v.optional(
    described(TimeSchema, 'Ends the run at this time; events that wait then keep their state.'),
  ),
  ramp: v.optional(
    v.pipe(
      v.array(wholeNumber(1, 1_000_000), 'Give a list of whole numbers, such as [1, 5, 20, 100].'),
      v.minLength(1, 'Give at least one step, such as [1, 5, 20, 100].'),
      v.maxLength(50, 'Give at most 50 steps.'),
      v.metadata({
        description: 'Deliveries per step; after the last step there is no limit.',
        examples: [[1, 5, 20, 100]],
      }),
    ),
  ),
  canary: v.optional(
    described(
      wholeNumber(1, 1_000_000),
      'The number of deliveries after which the run pauses until an operator resumes it.',
    ),
  ),
  ratePerSecond: v.optional(
    described(within(0.000_01, 100_000), 'Deliveries per second, by all workers of the run together.'),
  ),
  waitForTarget: flag(
    'Waits while the breaker of a target is open; ticks check whether it is back. Without it the run delivers whatever the breaker says.',
  ),
  toHeldTargets: flag(
    'Also delivers to targets that an operator holds, or that asked for a pause; without it the run waits.',
  ),
  gate: v.optional(
    described(
      v.union(
        [v.literal(false), GateSchema],
        'Give {"window": 50, "maxFailureRatio": 0.5}, or false for none.',
      ),
      'Pauses the run if more than this ratio of its latest deliveries failed; false disables the gate.',
    ),
    {},
  ),
};

type Fields = v.InferOutput<v.ObjectSchema<typeof rolloutFields, undefined>>;
export type Rollout = Omit<Fields, 'waitForTarget' | 'toHeldTargets'> & {
  readonly waitForTarget?: boolean;
  readonly toHeldTargets?: boolean;
};

/** How fast a replay begins, each with a sentence and the fields of a request that it stands for. */
export const paces = {
  careful: {
    meaning: '1 event, then it waits for you; then steps of 5, 20 and 100.',
    rollout: { canary: 1, ramp: [1, 5, 20, 100], gate: { window: 50, maxFailureRatio: 0.1 } },
  },
  normal: {
    meaning: 'Steps of 10, 50 and 200, each of which must pass; then all.',
    rollout: { ramp: [10, 50, 200], gate: { window: 50, maxFailureRatio: 0.5 } },
  },
  gentle: {
    meaning: 'At most 10 a second; pauses above 50 % failures.',
    rollout: { ratePerSecond: 10, gate: { window: 50, maxFailureRatio: 0.5 } },
  },
  fast: {
    meaning: 'At the limits of the target; pauses above 50 % failures.',
    rollout: { gate: { window: 50, maxFailureRatio: 0.5 } },
  },
} as const satisfies Record<string, { readonly meaning: string; readonly rollout: Rollout }>;

export type Pace = keyof typeof paces;

export const paceNames = Object.keys(paces) as [Pace, ...Pace[]];

/** The JSON of a request with the fields of its pace, as far as it does not set them itself. */
export function applyPace(request: unknown): unknown {
  if (typeof request !== 'object' || request === null || !('pace' in request)) return request;
  const pace = paceNames.find((name) => name === request.pace);
  return pace === undefined ? request : { ...paces[pace].rollout, ...request };
}
