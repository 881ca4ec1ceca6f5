import * as v from 'valibot';
import { type Checked, check } from './validate.ts';
import { type Texts, variable, wholeNumber } from './variable.ts';

export type RetentionConfig = {
  readonly archiveAfterDays: number;
  readonly sourceRetentionDays: number;
  /** Months that the archive keeps beside the current one; 0: all. */
  readonly retainMonths: number;
  readonly exportBucket: string | undefined;
  readonly openWarnDays: number;
};

export const RetentionSchema = v.object({
  ARCHIVE_AFTER_DAYS: wholeNumber({
    default: 30,
    min: 1,
    max: 3650,
    description: 'Days after which closed events move to the archive.',
  }),
  SOURCE_RETENTION_DAYS: wholeNumber({
    default: 31,
    min: 0,
    max: 3650,
    description:
      'Days after its capture during which a source may send the same failure again; until then a closed event is not archived, so that the duplicate is recognised.',
  }),
  RETAIN_MONTHS: wholeNumber({
    default: 0,
    min: 0,
    max: 1200,
    description: 'Months that the archive keeps beside the current one; 0: all.',
  }),
  EXPORT_BUCKET: variable(
    {
      allowed: 'bucket name, without `gs://`',
      description: 'Cloud Storage bucket to which a month of the archive is exported before it is dropped.',
    },
    v.optional(
      v.pipe(
        v.string(),
        v.regex(
          /^([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])?$/,
          'Must be the name of a bucket, without gs:// and without a path.',
        ),
      ),
    ),
  ),
  OPEN_WARN_DAYS: wholeNumber({
    default: 14,
    min: 1,
    max: 3650,
    description: 'Age in days from which `maintain` logs a warning about open events.',
  }),
});

/** Reads how long events stay open without a warning, in the table, and in the archive. */
export function readRetention(env: Texts<typeof RetentionSchema.entries>): Checked<RetentionConfig> {
  const checked = check(RetentionSchema, env);
  if (!checked.ok) return checked;
  const { value } = checked;
  return {
    ok: true,
    value: {
      archiveAfterDays: value.ARCHIVE_AFTER_DAYS,
      sourceRetentionDays: value.SOURCE_RETENTION_DAYS,
      retainMonths: value.RETAIN_MONTHS,
      exportBucket: value.EXPORT_BUCKET || undefined,
      openWarnDays: value.OPEN_WARN_DAYS,
    },
  };
}
