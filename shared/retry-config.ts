import * as v from 'valibot';
import type { Environment } from './environment.ts';
import { type Checked, check } from './validate.ts';
import { wholeNumber } from './whole-number.ts';

/** How events are retried, by whichever function. */
export type RetryConfig = {
  readonly enabled: boolean;
  readonly batchSize: number;
  readonly maxRetries: number;
  readonly tickBudgetSeconds: number;
  readonly continueTopic: string | undefined;
  readonly continueBudgetSeconds: number;
  /** Workers that one run may have at once: 1 where there is no topic to call others by. */
  readonly workers: number;
  /** Infinity where there is no limit. */
  readonly maxEventsPerTick: number;
  readonly leaseSeconds: number;
  /** How often an event may fail at its consumer before only people take it up again. */
  readonly maxReturns: number;
};

const RetrySchema = v.object({
  RETRY_ENABLED: v.pipe(
    v.optional(v.picklist(['true', 'false'], 'Use "true" or "false".'), 'true'),
    v.transform((value) => value === 'true'),
  ),
  BATCH_SIZE: wholeNumber(50, 1, 1000),
  MAX_RETRIES: wholeNumber(240, 0, 10_000),
  TICK_BUDGET_SECONDS: wholeNumber(1500, 1, 3600),
  CONTINUE_TOPIC: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^projects\/[^/]+\/topics\/[^/]+$/, 'Must look like projects/PROJECT/topics/TOPIC.'),
    ),
  ),
  CONTINUE_BUDGET_SECONDS: wholeNumber(480, 1, 570),
  WORKERS: wholeNumber(4, 1, 100),
  MAX_EVENTS_PER_TICK: wholeNumber(0, 0, 1_000_000_000),
  LEASE_SECONDS: wholeNumber(300, 5, 86_400),
  MAX_RETURNS: wholeNumber(10, 1, 10_000),
});

/** Reads how events are retried. */
export function readRetry(env: Environment): Checked<RetryConfig> {
  const checked = check(RetrySchema, env);
  if (!checked.ok) return checked;
  const { value } = checked;
  return {
    ok: true,
    value: {
      enabled: value.RETRY_ENABLED,
      batchSize: value.BATCH_SIZE,
      maxRetries: value.MAX_RETRIES,
      tickBudgetSeconds: value.TICK_BUDGET_SECONDS,
      continueTopic: value.CONTINUE_TOPIC,
      continueBudgetSeconds: value.CONTINUE_BUDGET_SECONDS,
      workers: value.CONTINUE_TOPIC === undefined ? 1 : value.WORKERS,
      maxEventsPerTick: value.MAX_EVENTS_PER_TICK || Number.POSITIVE_INFINITY,
      leaseSeconds: value.LEASE_SECONDS,
      maxReturns: value.MAX_RETURNS,
    },
  };
}

/** The time of a lease alone, where it can be read, whatever else is wrong. */
export function readLeaseSeconds(env: Environment): number | undefined {
  const checked = check(v.pick(RetrySchema, ['LEASE_SECONDS']), env);
  return checked.ok ? checked.value.LEASE_SECONDS : undefined;
}
