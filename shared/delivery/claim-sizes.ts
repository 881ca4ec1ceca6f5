export const minClaimOf = (max: number): number => Math.min(50, max);

/** In ms: a claim takes what was delivered in this time, so long its last events and a pause wait. */
const windowMs = 250;

/** In ms: deliveries that begin within this time begin together. */
const soonMs = 50;

/**
 * Sizes the claims of one worker by what it delivered to each target within about 250 ms: at least 50 events
 * and at most `max`. A fast target doubles each claim; a slow one keeps small ones: few events wait under a
 * lease, and others are left to other workers. Times are in ms, of any clock.
 */
export function openClaimSizes(max: number) {
  const counts = new Map<string, { readonly at: number; readonly events: number }>();
  /** A delivery counts less the longer ago it was: at a steady rate the sum is that of 250 ms. */
  const countRecent = (target: string, now: number) => {
    const { at, events } = counts.get(target) ?? { at: now, events: 0 };
    return events * Math.exp((at - now) / windowMs);
  };
  return {
    record(target: string, now: number): void {
      counts.set(target, { at: now, events: countRecent(target, now) + 1 });
    },

    of(targets: Iterable<string>, now: number): number {
      const recent = [...new Set(targets)].reduce((sum, target) => sum + countRecent(target, now), 0);
      return Math.max(minClaimOf(max), Math.min(Math.round(recent), max));
    },

    soonOf: (target: string, now: number): number =>
      Math.max(1, Math.round((countRecent(target, now) * soonMs) / windowMs)),
  };
}
