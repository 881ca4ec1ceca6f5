import { groupRulesSetting } from './group-rules.ts';
import { defineNumber, defineText, type SettingsOf } from './setting.ts';

const maintain = { readBy: ['maintain'] } as const;

/** How long events stay open without a warning, in the table, and in the archive, and in which groups. */
export const retentionSettings = {
  ARCHIVE_AFTER_DAYS: defineNumber(
    { ...maintain, default: 30, min: 1, max: 3650 },
    'Days after which events that were delivered or discarded move to the archive.',
  ),
  ARCHIVE_UNDECIDED_AFTER_DAYS: defineNumber(
    { ...maintain, default: 0, min: 0, max: 3650 },
    'Days after which permanent failures that nobody replayed or discarded move to the archive; 0: never.',
  ),
  SOURCE_RETENTION_DAYS: defineNumber(
    { ...maintain, default: 31, min: 0, max: 3650 },
    'Days after its capture during which a source may send the same failure again; until then a closed event is not archived, so that the duplicate is recognised.',
  ),
  RETAIN_MONTHS: defineNumber(
    {
      readBy: ['maintain'],
      stack: { default: 24, reason: 'The archive of a deployment would otherwise grow without a limit.' },
      default: 0,
      min: 0,
      max: 1200,
    },
    'Months that the archive keeps beside the current one; 0: all.',
  ),
  EXPORT_BUCKET: defineText(
    {
      ...maintain,
      allowed: 'bucket name, without `gs://`',
      form: [
        /^([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])?$/,
        'Must be the name of a bucket, without gs:// and without a path.',
      ],
    },
    'Cloud Storage bucket to which a month of the archive is exported before it is dropped.',
  ),
  OPEN_WARN_DAYS: defineNumber(
    { ...maintain, default: 14, min: 1, max: 3650 },
    'Age in days from which `maintain` logs a warning about open events.',
  ),
  GROUP_RULES: groupRulesSetting,
};

export type RetentionConfig = SettingsOf<'maintain', typeof retentionSettings>;
