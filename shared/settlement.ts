import { backoffSeconds } from './backoff.ts';
import type { LeasedEvent, Status } from './events.ts';
import type { Policy } from './policy.ts';
import type { Outcome } from './targets/outcome.ts';

export type NextState = {
  readonly status: Status;
  readonly isFailure: boolean;
  readonly retryInSeconds: number | null;
};

/**
 * Decides what an outcome means for its event. A failure that may pass is tried again after the route's backoff, and
 * not before the target wants it, until the retries are used up; the event's own limit overrules the route's, and that
 * the general one. Where the route holds what is ambiguous, such an event is left to people.
 */
export function decideNextState(
  event: Pick<LeasedEvent, 'retry_count' | 'max_retries'>,
  policy: Policy,
  outcome: Pick<Outcome, 'kind' | 'retryAfterSeconds'>,
  chance: { readonly maxRetries: number; readonly random: () => number },
): NextState {
  if (outcome.kind === 'delivered') return { status: 'SUCCEEDED', isFailure: false, retryInSeconds: null };
  const failures = event.retry_count + 1;
  const most = event.max_retries ?? policy.maxRetries ?? chance.maxRetries;
  const isHeld = outcome.kind === 'ambiguous' && policy.onAmbiguous === 'hold';
  if (outcome.kind === 'permanent' || isHeld || failures >= most) {
    return { status: 'FAILED_PERMANENTLY', isFailure: true, retryInSeconds: null };
  }
  const backoff = backoffSeconds(policy.backoff, failures, chance.random);
  const retryInSeconds = Math.max(backoff, outcome.retryAfterSeconds ?? 0);
  return { status: 'PENDING', isFailure: true, retryInSeconds };
}
