import * as v from 'valibot';
import type { Environment } from './environment.ts';
import { type Checked, check } from './validate.ts';
import { wholeNumber } from './whole-number.ts';

/** How long what is kept where. */
export type RetentionConfig = {
  readonly archiveAfterDays: number;
  /** For so long after its capture a source may bring the same failure again: only one that is not archived is recognised. */
  readonly sourceRetentionDays: number;
  /** Months that the archive keeps beside the current one; 0: for ever. */
  readonly retainMonths: number;
  /** The bucket of Cloud Storage that a month is written to before it is dropped, if any. */
  readonly exportBucket: string | undefined;
  /** Open events older than this are warned of: they are kept for ever. */
  readonly openWarnDays: number;
};

const RetentionSchema = v.object({
  ARCHIVE_AFTER_DAYS: wholeNumber(30, 1, 3650),
  SOURCE_RETENTION_DAYS: wholeNumber(31, 0, 3650),
  RETAIN_MONTHS: wholeNumber(0, 0, 1200),
  EXPORT_BUCKET: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])?$/,
        'Must be the name of a bucket, without gs:// and without a path.',
      ),
    ),
  ),
  OPEN_WARN_DAYS: wholeNumber(14, 1, 3650),
});

/** Reads how long what is kept where. */
export function readRetention(env: Environment): Checked<RetentionConfig> {
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
