import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';

/** A target that says "too many". Times are those of `performance.now()`: a clock may step. */
type Refusing = {
  /** Until when it gets nothing. */
  until: number;
  /** Pauses in a row, in none of which it accepted anything. */
  pauses: number;
};

const setPace = statement<{ limits: readonly { readonly target: string; readonly pause: number }[] }, never>(
  'set-pace',
  import.meta.url,
);

/** The pause after a refusal that names none, in seconds. */
const defaultPause = 1;
/** The longest pause that grows from shorter ones, in seconds. */
const maxPause = 900;

/**
 * Watches which targets say "too many", and until when this worker sends them nothing. Their pace after that
 * is one for all workers (set-pace.sql).
 */
export function watchPaces(db: Database) {
  const targets = new Map<string, Refusing>();
  const pauses = new Map<string, number>();
  return {
    /** Until when a target that said "too many" gets nothing, by `performance.now()`; 0 without. */
    pausedUntil: (target: string): number => targets.get(target)?.until ?? 0,

    accept(target: string): void {
      const refusing = targets.get(target);
      // Deliveries in flight when it refused say nothing about the time after.
      if (refusing && performance.now() >= refusing.until) targets.delete(target);
    },

    /** Learns that a target takes no more for some seconds; what was in flight then changes nothing more. */
    refuse(target: string, retryAfterSeconds = defaultPause): void {
      const refusing = targets.get(target) ?? { until: 0, pauses: 0 };
      if (performance.now() < refusing.until) return;
      const grown = Math.min(maxPause, retryAfterSeconds * 2 ** refusing.pauses);
      const pause = Math.max(retryAfterSeconds, grown);
      targets.set(target, { until: performance.now() + pause * 1000, pauses: refusing.pauses + 1 });
      pauses.set(target, pause);
    },

    hasNews: () => pauses.size > 0,

    /** Records the pauses since the last call for all workers. */
    async report(): Promise<void> {
      const limits = [...pauses].map(([target, pause]) => ({ target, pause }));
      pauses.clear();
      if (limits.length > 0) await unlessLocked(setPace(db, { limits }), []);
    },
  };
}
