import { measureAge } from '../../time-text.ts';
import type { Policy } from './policy.ts';

/** An event's times that its age counts from. */
type Age = { readonly createdAt: Date; readonly reopenedAt: Date | null };

/**
 * Returns when an event reaches the maxAge of its policy: it counts from its capture, or its latest
 * reopening.
 */
export function expiryOf({ createdAt, reopenedAt }: Age, { maxAge }: Policy): Date | undefined {
  const age = maxAge === undefined ? undefined : measureAge(maxAge);
  return age === undefined
    ? undefined
    : new Date(Math.max(createdAt.getTime(), reopenedAt?.getTime() ?? 0) + age);
}
