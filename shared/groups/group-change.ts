import * as v from 'valibot';

const text = (max: number) =>
  v.pipe(v.string('Give a text.'), v.maxLength(max, `At most ${max} characters.`));

const plain = {
  owner: v.optional(text(200)),
  note: v.optional(text(10_000)),
  /** The reason, for the audit. */
  reason: v.optional(text(2000)),
};

const MutedSchema = v.strictObject({
  ...plain,
  state: v.literal('MUTED'),
  mutedUntil: v.pipe(
    v.string('Give a time in ISO 8601.'),
    v.isoTimestamp('Give a time in ISO 8601, such as 2026-01-02T03:04:05Z.'),
    v.transform((time) => new Date(time)),
  ),
});

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
