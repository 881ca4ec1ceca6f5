import * as v from 'valibot';
import { toStorableText } from '../database/storable-text.ts';
import { operatorText } from '../events/actions/operator-text.ts';
import { isAbsoluteTime, resolveTime } from '../time-text.ts';

const timeRemedy = 'Give a time in ISO 8601, such as 2026-01-02T03:04:05Z.';

const plain = {
  owner: v.optional(operatorText(200)),
  note: v.optional(operatorText(10_000)),
  /** The reason, for the audit. */
  reason: v.optional(operatorText(1000)),
};

const MutedSchema = v.strictObject({
  ...plain,
  state: v.literal('MUTED'),
  mutedUntil: v.pipe(
    v.string(timeRemedy),
    v.check(isAbsoluteTime, timeRemedy),
    v.metadata({ format: 'date-time' }),
    v.transform((time) => new Date(resolveTime(time, new Date()))),
    v.check((time) => time > new Date(), 'Must be in the future.'),
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

/** The fingerprint of an error group in a request. */
export const FingerprintSchema = v.pipe(
  v.string('Give a fingerprint.'),
  v.trim(),
  v.nonEmpty('Give a fingerprint.'),
  v.maxLength(100, 'Must have at most 100 characters.'),
  v.transform((text) => toStorableText(text)),
);
