import { backoffSeconds } from './backoff.ts';
import type { LeasedEvent, Status } from './events.ts';
import type { Route } from './routes.ts';
import type { Outcome } from './targets/outcome.ts';

export type NextState = {
  readonly status: Status;
  readonly isFailure: boolean;
  readonly retryInSeconds: number | null;
};

/**
 * Decides what an outcome means for its event. A failure that may pass is tried again after the route's backoff,
 * until the retries are used up; the event's own limit overrules the route's, and that the general one.
 */
export function decideNextState(
  event: Pick<LeasedEvent, 'retry_count' | 'max_retries'>,
  policy: Route['policy'],
  outcome: Pick<Outcome, 'kind'>,
  chance: { readonly maxRetries: number; readonly random: () => number },
): NextState {
  if (outcome.kind === 'delivered') return { status: 'SUCCEEDED', isFailure: false, retryInSeconds: null };
  const failures = event.retry_count + 1;
  const most = event.max_retries ?? policy.maxRetries ?? chance.maxRetries;
  if (outcome.kind === 'permanent' || failures >= most) {
    return { status: 'FAILED_PERMANENTLY', isFailure: true, retryInSeconds: null };
  }
  const retryInSeconds = backoffSeconds(policy.backoff, failures, chance.random);
  return { status: 'PENDING', isFailure: true, retryInSeconds };
}
