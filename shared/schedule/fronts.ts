import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** How long claims continue where the one before ended, in ms, and at least as a multiple of the time to find the fronts. */
const minAgeMs = 1000;
const restFactor = 20;

/** Where a claim begins in one priority of a lane, with the names of the columns. The time is text: a Date loses the microseconds. */
export type Front = { readonly priority: number; readonly retry_after: string; readonly id: string };

type Found = {
  readonly lane: string;
  readonly priority: number;
  readonly retryAfter: string;
  readonly id: string;
};

/** Finds the first due event of each priority in some lanes. */
export const findFronts = statement<{ lanes: readonly string[]; dueAt: string }, Found>(
  'find-fronts',
  import.meta.url,
);

/** Returns the fronts of one lane. */
export function frontsOf(found: Iterable<Found>, lane: string): Front[] {
  return [...found]
    .filter((front) => front.lane === lane)
    .map(({ priority, retryAfter, id }) => ({ priority, retry_after: retryAfter, id }));
}

/**
 * Opens the fronts of one worker's claims. After a claim that was full the next one begins where it ended, so that it reads
 * neither leased events nor the versions that older claims and settlements left in the index. Events before a front, such
 * as released ones, and other priorities are found again a second later, or after the first claim that was not full.
 */
export function openFronts(db: Database) {
  let found = new Map<string, Found>();
  let lanes = new Set<string>();
  let foundFor = '';
  let endsAt = 0;

  const find = async (wanted: readonly string[], dueAt: string) => {
    const startedAt = Date.now();
    const fronts = await findFronts(db, { lanes: wanted, dueAt });
    found = new Map(fronts.map((front) => [nameOf(front), front]));
    lanes = new Set(wanted);
    foundFor = dueAt;
    endsAt = Date.now() + Math.max(minAgeMs, restFactor * (Date.now() - startedAt));
  };

  return {
    /** Returns the fronts of the lanes that have events due at `dueAt`. */
    async find(wanted: readonly { readonly lane: string }[], dueAt: string): Promise<Map<string, Front[]>> {
      const names = wanted.map(({ lane }) => lane);
      const isKnown = dueAt === foundFor && Date.now() < endsAt && names.every((lane) => lanes.has(lane));
      if (!isKnown && names.length > 0) await find(names, dueAt);
      const fronts = Map.groupBy(found.values(), ({ lane }) => lane);
      return new Map(
        names.flatMap((lane) => {
          const own = fronts.get(lane);
          return own ? [[lane, frontsOf(own, lane)] as const] : [];
        }),
      );
    },

    /** Moves the fronts behind the events of a claim of up to `limit`. */
    advance(claimed: readonly (Found & { readonly nth: number })[], limit: number): void {
      if (claimed.length < limit) endsAt = 0;
      for (const { lane, priority, retryAfter, id } of claimed.toSorted((a, b) => a.nth - b.nth)) {
        const front = { lane, priority, retryAfter, id };
        if (found.has(nameOf(front))) found.set(nameOf(front), front);
      }
    },
  };
}

function nameOf({ lane, priority }: Pick<Found, 'lane' | 'priority'>): string {
  return `${lane} ${priority}`;
}
