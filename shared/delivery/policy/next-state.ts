import type { Status } from '../../message/event.ts';
import type { LeasedEvent } from '../leased-event.ts';
import type { Outcome } from '../targets/outcome.ts';
import { backoffSeconds } from './backoff.ts';
import type { Policy } from './policy.ts';

export type NextState = {
  readonly status: Status;
  readonly retryInSeconds: number | null;
};

/** The facts beside the outcome; `maxRetries` where neither event nor route say. */
type Terms = { readonly policy: Policy; readonly maxRetries: number; readonly random: () => number };

/**
 * Decides the next state of an event from the outcome of its delivery. A transient failure is retried after
 * the longer of the route's backoff and the target's Retry-After, until the retries are used up. The event's
 * own limit takes precedence over the route's, and that over the general one. A route with `onAmbiguous:
 * hold` fails ambiguous outcomes permanently.
 */
export function decideNextState(
  event: Pick<LeasedEvent, 'retryCount' | 'maxRetries'>,
  outcome: Pick<Outcome, 'kind' | 'retryAfterSeconds'>,
  { policy, maxRetries, random }: Terms,
): NextState {
  const failures = event.retryCount + 1;
  const backoff = backoffSeconds(policy.backoff, failures, random);
  // If its consumer reports a failure of this delivery, the event waits as after any failure.
  if (outcome.kind === 'delivered') return { status: 'SUCCEEDED', retryInSeconds: backoff };
  const max = event.maxRetries ?? policy.maxRetries ?? maxRetries;
  const isHeld = outcome.kind === 'ambiguous' && policy.onAmbiguous === 'hold';
  if (outcome.kind === 'permanent' || isHeld || failures >= max) {
    return { status: 'FAILED_PERMANENTLY', retryInSeconds: null };
  }
  const retryInSeconds = Math.max(backoff, outcome.retryAfterSeconds ?? 0);
  return { status: 'PENDING', retryInSeconds };
}
