export const minClaimOf = (max: number): number => Math.min(50, max);

/** In ms: a claim takes what was delivered in this time, so long its last events and a pause wait. */
const windowMs = 250;

/** In ms: deliveries that begin within this time begin together. */
const soonMs = 50;

type Count = { startedAt: number; events: number; before: number };

/**
 * Sizes the claims of one worker by what it delivered to each target during the last 250 ms: at least 50
 * events and at most `max`. A fast target doubles each claim; a slow one keeps small ones: few events wait
 * under a lease, and others are left to other workers. Times are in ms, of any clock.
 */
export function openClaimSizes(max: number) {
  const counts = new Map<string, Count>();
  const countAt = (target: string, now: number): Count => {
    const { startedAt, events, before } = counts.get(target) ?? { startedAt: now, events: 0, before: 0 };
    const windows = Math.floor((now - startedAt) / windowMs);
    if (windows < 1) return { startedAt, events, before };
    return { startedAt: startedAt + windows * windowMs, events: 0, before: windows === 1 ? events : 0 };
  };
  /** Of the window before, only the part counts that is not longer ago than one window. */
  const countRecent = (target: string, now: number) => {
    const { startedAt, events, before } = countAt(target, now);
    return events + before * (1 - (now - startedAt) / windowMs);
  };
  return {
    record(target: string, now: number): void {
      const count = countAt(target, now);
      count.events += 1;
      counts.set(target, count);
    },

    of(targets: Iterable<string>, now: number): number {
      let recent = 0;
      for (const target of new Set(targets)) recent += countRecent(target, now);
      return Math.max(minClaimOf(max), Math.min(Math.round(recent), max));
    },

    soonOf: (target: string, now: number): number =>
      Math.max(1, Math.round((countRecent(target, now) * soonMs) / windowMs)),
  };
}
