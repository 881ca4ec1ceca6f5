import type { RetryConfig } from '../../shared/retry-config.ts';

/** As configured by default, but for short leases: whoever is killed is waited for. */
export const retry: RetryConfig = {
  enabled: true,
  batchSize: 200,
  maxRetries: 240,
  tickBudgetSeconds: 600,
  maxEventsPerTick: Number.POSITIVE_INFINITY,
  leaseSeconds: 35,
  maxReturns: 10,
  continueTopic: undefined,
  continueBudgetSeconds: 480,
  workers: 1,
};
