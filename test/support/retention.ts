import type { RetentionConfig } from '../../shared/config/retention.ts';
import { readConfig } from '../../shared/environment/config.ts';

/** The default configuration, with months dropped after a year. */
export const retention: RetentionConfig = {
  ...readConfig({ DATABASE_URL: 'postgres://anywhere/d' }).retention,
  retainMonths: 12,
};
