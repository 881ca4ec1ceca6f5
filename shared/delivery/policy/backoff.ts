import type { Backoff } from './policy.ts';

type Exponential = Extract<Backoff, { readonly kind: 'exponential' }>;

/**
 * Returns the seconds to wait after the `failures`-th failed retry in a row, counted from 1: at least 0, and at most the
 * configured cap or delay. `random` returns a number in [0, 1), as Math.random does.
 *
 * With d the delay without jitter, the variants of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture
 * Blog, 2015, https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/) are:
 * - none: d. It never decreases from one failure to the next, except in a schedule.
 * - full: uniform from 0 to d. It spreads a herd of events widest.
 * - equal: uniform from d/2 to d. No event is retried at once.
 * - decorrelated: see `decorrelatedSeconds`.
 */
export function backoffSeconds(backoff: Backoff, failures: number, random: () => number): number {
  if (backoff.jitter === 'decorrelated') return decorrelatedSeconds(backoff, failures, random);
  const delay = steadySeconds(backoff, failures);
  if (backoff.jitter === 'full') return delay * random();
  return backoff.jitter === 'equal' ? (delay * (1 + random())) / 2 : delay;
}

/** Returns d: min(cap, base × factor^(failures - 1)), the fixed delay, or the entry of the schedule; its last repeats. */
function steadySeconds(backoff: Backoff, failures: number): number {
  if (backoff.kind === 'fixed') return backoff.delaySeconds;
  if (backoff.kind === 'schedule')
    return backoff.delaysSeconds[failures - 1] ?? backoff.delaysSeconds.at(-1) ?? 0;
  // The power overflows to Infinity long before 240 retries, and zero times Infinity is not a delay.
  const growth = Math.min(backoff.factor ** (failures - 1), Number.MAX_VALUE);
  return Math.min(backoff.capSeconds, backoff.baseSeconds * growth);
}

/**
 * d(n) = min(cap, uniform from base to 3 × d(n - 1)), d(0) = base, so it lies between base and 3^n × base; the factor is
 * not used. Events do not store their last delay: each call draws the whole sequence from d(0) again, one step per
 * failure, which gives every delay the same probability as in the original algorithm.
 */
function decorrelatedSeconds(
  { baseSeconds, capSeconds }: Exponential,
  failures: number,
  random: () => number,
): number {
  let delay = baseSeconds;
  for (let step = 1; step <= failures; step++) {
    delay = Math.min(capSeconds, baseSeconds + random() * (3 * delay - baseSeconds));
  }
  return delay;
}
