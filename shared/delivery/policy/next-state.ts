import type { Status } from '../../message/event.ts';
import type { LeasedEvent } from '../leased-event.ts';
import type { Outcome } from '../targets/outcome.ts';
import type { Backoff, Policy } from './policy.ts';

export type NextState = {
  readonly status: Status;
  readonly retryInSeconds: number | null;
};

/** `maxRetries` where neither event nor route say. */
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

/**
 * Returns the seconds to wait after the `failures`-th failed retry in a row, counted from 1: at least 0, and
 * at most the configured cap or delay. With d the delay without jitter, full jitter is uniform from 0 to d,
 * which spreads a herd of events widest, and equal from d/2 to d, so that no event is retried at once
 * ("Exponential Backoff And Jitter", Marc Brooker, 2015,
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export function backoffSeconds(backoff: Backoff, failures: number, random: () => number): number {
  const delay = steadySeconds(backoff, failures);
  if (backoff.jitter === 'full') return delay * random();
  return backoff.jitter === 'equal' ? (delay * (1 + random())) / 2 : delay;
}

/**
 * min(cap, base × factor^(failures - 1)), the fixed delay, or the entry of the schedule; its last repeats.
 */
function steadySeconds(backoff: Backoff, failures: number): number {
  if (backoff.kind === 'fixed') return backoff.delaySeconds;
  if (backoff.kind === 'schedule')
    return backoff.delaysSeconds[failures - 1] ?? backoff.delaysSeconds.at(-1) ?? 0;
  // The power overflows to Infinity long before 240 retries, and zero times Infinity is not a delay.
  const growth = Math.min(backoff.factor ** (failures - 1), Number.MAX_VALUE);
  return Math.min(backoff.capSeconds, backoff.baseSeconds * growth);
}
