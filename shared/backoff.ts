import type { Backoff } from './routes.ts';

/**
 * Seconds to wait after the `failures`-th failed retry in a row, counted from 1.
 * Never negative and never past the cap. `random` gives a number in [0, 1), as Math.random does.
 * Full jitter is the variant of "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015) that spreads a
 * herd of events widest: any delay from zero to the exponential one is equally likely.
 */
export function backoffSeconds(backoff: Backoff, failures: number, random: () => number): number {
  // The power overflows to Infinity long before 240 retries, and zero times Infinity is not a delay.
  const growth = Math.min(backoff.factor ** (failures - 1), Number.MAX_VALUE);
  const delay = Math.min(backoff.capSeconds, backoff.baseSeconds * growth);
  return backoff.jitter === 'full' ? delay * random() : delay;
}
