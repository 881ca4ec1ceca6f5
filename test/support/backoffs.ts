import fc from 'fast-check';
import type { Backoff } from '../../shared/delivery/policy/policy.ts';

export type Exponential = Extract<Backoff, { readonly kind: 'exponential' }>;

const year = 31_536_000;
const seconds = fc.double({ min: 0, max: year, noNaN: true });
const jitter = fc.constantFrom('none', 'full', 'equal');

const exponentialSettings = fc.record({
  kind: fc.constant('exponential' as const),
  baseSeconds: seconds,
  factor: fc.double({ min: 1, max: Number.MAX_VALUE, noNaN: true }),
  capSeconds: seconds,
  jitter,
});

/** Any exponential backoff that can be configured. */
export const anyExponential: fc.Arbitrary<Exponential> = exponentialSettings;

/** Any backoff that can be configured. */
export const anyBackoff: fc.Arbitrary<Backoff> = fc.oneof(
  anyExponential,
  fc.record({ kind: fc.constant('fixed' as const), delaySeconds: seconds, jitter }),
  fc.record({
    kind: fc.constant('schedule' as const),
    delaysSeconds: fc.array(seconds, { minLength: 1, maxLength: 20 }),
    jitter,
  }),
);

/** How many retries in a row have failed. */
export const failures = fc.integer({ min: 1, max: 10_000 });

/** The values that Math.random may give. */
export const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** An exponential backoff that can be followed in the head, with anything overridden. */
export function anExponential(settings: Partial<Exponential> = {}): Exponential {
  return {
    kind: 'exponential',
    baseSeconds: 60,
    factor: 2,
    capSeconds: 21_600,
    jitter: 'none',
    ...settings,
  };
}
