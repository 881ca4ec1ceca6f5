/** Returns the smallest claim, in events, if the largest one is `max`. */
export const minClaimOf = (max: number): number => Math.min(50, max);

/**
 * A claim takes what was delivered during about this time, in ms: so long its last events wait, and a pause
 * takes effect.
 */
const windowMs = 250;

/** Deliveries that begin within about this time begin together, in ms. */
const soonMs = 50;

type Count = { startedAt: number; events: number; before: number };

/**
 * Sizes the claims of one worker by what it delivered to each target during the last 250 ms: at least 50
 * events and at most `max`. While a target answers faster than that, each claim is about twice as large as
 * the one before. A slow target keeps small ones: few events wait under a lease, and others are left to other
 * workers. Times are in ms, of any clock.
 */
export function openClaimSizes(max: number) {
  const counts = new Map<string, Count>();
  const countAt = (target: string, now: number): Count => {
    const { startedAt, events, before } = counts.get(target) ?? { startedAt: now, events: 0, before: 0 };
    const windows = Math.floor((now - startedAt) / windowMs);
    if (windows < 1) return { startedAt, events, before };
    return { startedAt: startedAt + windows * windowMs, events: 0, before: windows === 1 ? events : 0 };
  };
  /** Of the window before, the part counts that is not longer ago than one window. */
  const countRecent = (target: string, now: number) => {
    const { startedAt, events, before } = countAt(target, now);
    return events + before * (1 - (now - startedAt) / windowMs);
  };
  return {
    /** Counts an event that a target has accepted. */
    record(target: string, now: number): void {
      const count = countAt(target, now);
      count.events += 1;
      counts.set(target, count);
    },

    /** Returns how many events of these targets one claim may take. */
    of(targets: Iterable<string>, now: number): number {
      let recent = 0;
      for (const target of new Set(targets)) recent += countRecent(target, now);
      return Math.max(minClaimOf(max), Math.min(Math.round(recent), max));
    },

    /** Returns how many deliveries to a target begin within the next 50 ms. */
    soonOf: (target: string, now: number): number =>
      Math.max(1, Math.round((countRecent(target, now) * soonMs) / windowMs)),
  };
}
