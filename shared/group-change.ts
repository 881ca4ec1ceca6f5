import * as v from 'valibot';

const text = (most: number) =>
  v.pipe(v.string('Give a text.'), v.maxLength(most, `At most ${most} characters.`));
const count = v.pipe(
  v.number('Give a whole number.'),
  v.integer('Give a whole number.'),
  v.minValue(1, 'Give at least 1.'),
  v.maxValue(1_000_000_000, 'Give at most 1000000000.'),
);

const plain = {
  owner: v.optional(text(200)),
  note: v.optional(text(10_000)),
  /** Why, for the record. */
  reason: v.optional(text(2000)),
};

const MutedSchema = v.pipe(
  v.strictObject({
    ...plain,
    state: v.literal('MUTED'),
    mutedUntil: v.optional(
      v.pipe(
        v.string('Give a moment as ISO 8601 has it.'),
        v.isoTimestamp('Give a moment as ISO 8601 has it, such as 2026-01-02T03:04:05Z.'),
        v.transform((moment) => new Date(moment)),
      ),
    ),
    /** For so many more failures. */
    mutedForFailures: v.optional(count),
    /** Until there are more failures than so many within an hour. */
    mutedUntilHourly: v.optional(count),
  }),
  v.check(
    ({ mutedUntil, mutedForFailures, mutedUntilHourly }) =>
      mutedUntil !== undefined || mutedForFailures !== undefined || mutedUntilHourly !== undefined,
    'Say until when: give mutedUntil, mutedForFailures or mutedUntilHourly, or several of them.',
  ),
);

/** What a person may change about an error group. RETURNED is not among the states: a group does that by itself. */
export const GroupChangeSchema = v.variant(
  'state',
  [
    MutedSchema,
    v.strictObject({ ...plain, state: v.optional(v.picklist(['OPEN', 'ACKNOWLEDGED', 'RESOLVED'])) }),
  ],
  'Use OPEN, ACKNOWLEDGED, MUTED or RESOLVED.',
);

export type GroupChange = v.InferOutput<typeof GroupChangeSchema>;
