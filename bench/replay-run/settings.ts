import type { RetryConfig } from '../../shared/config/retry.ts';

/** The default configuration with short leases, because the benchmark waits for those of a killed worker. */
export const retry: RetryConfig = {
  enabled: true,
  batchSize: 200,
  maxRetries: 240,
  tickBudgetSeconds: 600,
  maxEventsPerTick: null,
  leaseSeconds: 35,
  maxLost: 5,
  maxRecurrences: 10,
  repeatSeconds: 600,
  continueTopic: undefined,
  workers: 1,
};
