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

/** A retry waits for the longer of backoff and Retry-After. An event's limit precedes that of its route. */
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
 * The seconds before the next retry, after `failures` in a row. Full jitter spreads a herd of events widest;
 * with equal jitter no event is retried at once ("Exponential Backoff And Jitter", Marc Brooker, 2015,
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
