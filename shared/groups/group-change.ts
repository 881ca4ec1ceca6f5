import * as v from 'valibot';

const text = (max: number) =>
  v.pipe(v.string('Give a text.'), v.maxLength(max, `At most ${max} characters.`));
const count = v.pipe(
  v.number('Give a whole number.'),
  v.integer('Give a whole number.'),
  v.minValue(1, 'Give at least 1.'),
  v.maxValue(1_000_000_000, 'Give at most 1000000000.'),
);

const plain = {
  owner: v.optional(text(200)),
  note: v.optional(text(10_000)),
  /** The reason, for the audit. */
  reason: v.optional(text(2000)),
};

const MutedSchema = v.pipe(
  v.strictObject({
    ...plain,
    state: v.literal('MUTED'),
    mutedUntil: v.optional(
      v.pipe(
        v.string('Give a time in ISO 8601.'),
        v.isoTimestamp('Give a time in ISO 8601, such as 2026-01-02T03:04:05Z.'),
        v.transform((time) => new Date(time)),
      ),
    ),
    /** The number of further failures. */
    mutedForFailures: v.optional(count),
    /** The number of failures within an hour that ends the muting. */
    mutedUntilHourly: v.optional(count),
  }),
  v.check(
    ({ mutedUntil, mutedForFailures, mutedUntilHourly }) =>
      mutedUntil !== undefined || mutedForFailures !== undefined || mutedUntilHourly !== undefined,
    'Give at least one of mutedUntil, mutedForFailures and mutedUntilHourly.',
  ),
);

/** The changes that an operator may make to an error group. REGRESSED is set by the service only. */
export const GroupChangeSchema = v.variant(
  'state',
  [
    MutedSchema,
    v.strictObject({ ...plain, state: v.optional(v.picklist(['OPEN', 'ACKNOWLEDGED', 'RESOLVED'])) }),
  ],
  'Use OPEN, ACKNOWLEDGED, MUTED or RESOLVED.',
);

export type GroupChange = v.InferOutput<typeof GroupChangeSchema>;
