import type { Backoff } from './policy.ts';

type Exponential = Extract<Backoff, { readonly kind: 'exponential' }>;

/**
 * Seconds to wait after the `failures`-th failed retry in a row, counted from 1. Never negative, and never past the cap
 * or the delay that was configured. `random` gives a number in [0, 1), as Math.random does.
 *
 * With d the delay without jitter, the variants of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture
 * Blog, 2015, https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/) are:
 * - none: d, which never shrinks from one failure to the next, unless a schedule says so.
 * - full: anything from 0 to d. It spreads a herd of events widest.
 * - equal: anything from d/2 to d. None comes back at once.
 * - decorrelated: see `decorrelatedSeconds`.
 */
export function backoffSeconds(backoff: Backoff, failures: number, random: () => number): number {
  if (backoff.jitter === 'decorrelated') return decorrelatedSeconds(backoff, failures, random);
  const delay = steadySeconds(backoff, failures);
  if (backoff.jitter === 'full') return delay * random();
  return backoff.jitter === 'equal' ? (delay * (1 + random())) / 2 : delay;
}

/** d: min(cap, base × factor^(failures - 1)), the same each time, or the list's entry, of which the last repeats. */
function steadySeconds(backoff: Backoff, failures: number): number {
  if (backoff.kind === 'fixed') return backoff.delaySeconds;
  if (backoff.kind === 'schedule')
    return backoff.delaysSeconds[failures - 1] ?? backoff.delaysSeconds.at(-1) ?? 0;
  // The power overflows to Infinity long before 240 retries, and zero times Infinity is not a delay.
  const growth = Math.min(backoff.factor ** (failures - 1), Number.MAX_VALUE);
  return Math.min(backoff.capSeconds, backoff.baseSeconds * growth);
}

/**
 * d(n) = min(cap, anything from base to 3 × d(n - 1)), d(0) = base, so it lies between base and 3^n × base; the factor
 * plays no part. No event remembers its last delay: each time the whole walk from d(0) is made anew, with as many
 * steps as there were failures, which gives every delay the chance that it has in the original.
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
