import type { RetentionConfig } from '../../shared/retention-config.ts';

/** As configured by default, but that months are dropped after a year. */
export const retention: RetentionConfig = {
  archiveAfterDays: 30,
  sourceRetentionDays: 31,
  retainMonths: 12,
  exportBucket: undefined,
  openWarnDays: 14,
};
