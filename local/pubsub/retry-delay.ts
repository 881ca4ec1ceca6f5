import type { WireSubscription, WireTime } from './protocol.ts';

const defaultRetry = { minimum: 10_000, maximum: 600_000 };
// Without a retry policy a pull subscription redelivers at once, but a failing endpoint is still spared a hot loop.
const pushWithoutPolicy = { minimum: 100, maximum: 60_000 };

/** Milliseconds until a delivery comes back after its `failures`-th failure: the minimum, doubling to the maximum. */
export function retryDelayMillis(
  { retryPolicy, pushConfig }: Pick<WireSubscription, 'retryPolicy' | 'pushConfig'>,
  failures: number,
): number {
  if (!retryPolicy && !pushConfig?.pushEndpoint) return 0;
  const { minimum, maximum } = retryPolicy ? readRetry(retryPolicy) : pushWithoutPolicy;
  return Math.min(maximum, minimum * 2 ** (failures - 1));
}

/** The backoff of a retry policy in milliseconds, with the defaults of the real service. */
export function readRetry(policy: NonNullable<WireSubscription['retryPolicy']>): typeof defaultRetry {
  return {
    minimum: policy.minimumBackoff ? toMillis(policy.minimumBackoff) : defaultRetry.minimum,
    maximum: policy.maximumBackoff ? toMillis(policy.maximumBackoff) : defaultRetry.maximum,
  };
}

function toMillis({ seconds, nanos }: WireTime): number {
  return seconds * 1000 + nanos / 1_000_000;
}
