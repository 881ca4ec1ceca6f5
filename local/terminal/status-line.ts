import type pg from 'pg';
import { countEvents, findFailedEvent, formatCounts } from '../database/counts.ts';

export type StatusLine = {
  readonly pool: pg.Pool;
  readonly say: (text: string) => void;
  readonly countUnrouted: () => number;
  /** Called once, with the id of the first event that failed permanently, or without one after `timeoutMs`. */
  readonly printHints: (failedEvent: string | undefined) => void;
  readonly timeoutMs: number;
};

const intervalMs = 30_000;
const pollMs = 1000;

/** Prints the counts of events every 30 s, and once the next steps. Returns the function that stops it. */
export function startStatusLine({ pool, say, countUnrouted, ...hints }: StatusLine): () => void {
  const printCounts = async () => {
    const [counts, unrouted] = [await countEvents(pool), countUnrouted()];
    say(formatCounts(unrouted > 0 ? { ...counts, 'without a route': unrouted } : counts));
  };
  const counts = setInterval(() => printCounts().catch(ignore), intervalMs);
  const endsAt = Date.now() + hints.timeoutMs;
  let poll: NodeJS.Timeout | undefined;
  const findFailure = async () => {
    const failedEvent = await findFailedEvent(pool);
    if (failedEvent !== undefined || Date.now() >= endsAt) return hints.printHints(failedEvent);
    poll = setTimeout(() => findFailure().catch(ignore), pollMs);
  };
  findFailure().catch(ignore);
  return () => {
    clearInterval(counts);
    clearTimeout(poll);
  };
}

/** The functions log an outage of the database. */
function ignore(): void {}
