import type { RetentionConfig } from '../../shared/config/retention.ts';

/** The default configuration, with months dropped after a year. */
export const retention: RetentionConfig = {
  archiveAfterDays: 30,
  archiveUndecidedAfterDays: 0,
  sourceRetentionDays: 31,
  retainMonths: 12,
  exportBucket: undefined,
  openWarnDays: 14,
  groupRules: [],
};
