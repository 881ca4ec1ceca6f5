import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unless-locked.ts';

/** What a worker has seen of the rate that a target takes. Times are in ms since the epoch. */
type Seen = {
  /** When it began to send, or may go on after a pause. */
  since: number;
  accepted: number;
  pauses: number;
  limit: { pause: number; pace: number | null } | undefined;
};

const setPace = statement<
  { limits: readonly { readonly target: string; readonly pause: number; readonly pace: number | null }[] },
  never
>('set-pace', import.meta.url);

/** The pause after a refusal that names none, in seconds. */
const defaultPause = 1;
/** The longest pause that grows from shorter ones, in seconds. */
const maxPause = 900;
/** Of the rate that was taken before a refusal, what is sent after it. */
const decrease = 0.9;

/**
 * Watches how many events targets take before they say "too many". The pace is what they took since the pause
 * before, until the time that they name: additive increase, multiplicative decrease (Chiu and Jain, 1989).
 */
export function watchPaces(db: Database) {
  const targets = new Map<string, Seen>();
  const seenOf = (target: string): Seen => {
    const seen = targets.get(target) ?? { since: Date.now(), accepted: 0, pauses: 0, limit: undefined };
    targets.set(target, seen);
    return seen;
  };
  return {
    /** Learns that a delivery to a target begins. */
    begin: (target: string) => void seenOf(target),

    /** Until when a target that said "too many" gets nothing, in ms since the epoch; 0 without. */
    pausedUntil(target: string): number {
      const seen = targets.get(target);
      return seen && seen.pauses > 0 ? seen.since : 0;
    },

    accept: (target: string) => accept(seenOf(target)),

    /** Learns that a target takes no more for some seconds; what was in flight then changes nothing more. */
    refuse: (target: string, seconds: number | undefined) => refuse(seenOf(target), seconds),

    hasNews: () => [...targets.values()].some(({ limit }) => limit !== undefined),

    /** Records the pauses since the last call for all workers. */
    async report(): Promise<void> {
      const limits = [...targets].flatMap(([target, seen]) => {
        const { limit } = seen;
        seen.limit = undefined;
        return limit ? [{ target, ...limit }] : [];
      });
      if (limits.length > 0) await unlessLocked(setPace(db, { limits }), []);
    },
  };
}

function accept(seen: Seen): void {
  seen.accepted += 1;
  // What was in flight when it refused says nothing about the time after.
  if (Date.now() >= seen.since) seen.pauses = 0;
}

function refuse(seen: Seen, retryAfterSeconds: number | undefined): void {
  const now = Date.now();
  if (now < seen.since) return;
  const named = retryAfterSeconds ?? defaultPause;
  const pause = Math.max(named, Math.min(maxPause, named * 2 ** seen.pauses));
  const seconds = (now - seen.since) / 1000 + pause;
  const pace = seen.accepted === 0 ? null : (decrease * seen.accepted) / seconds;
  const next = { since: now + pause * 1000, accepted: 0, pauses: seen.pauses + 1 };
  Object.assign(seen, { ...next, limit: { pause, pace } });
}
