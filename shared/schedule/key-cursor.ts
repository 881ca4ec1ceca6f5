import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Lane } from './lanes.ts';

/** Keys read for one claim, in total over all lanes: this takes a few milliseconds. */
const maxKeys = 1000;

/** Returns a row for each lane: `after` is the last key read, and `isEnd` means that no key follows it. */
export const findHeads = statement<
  {
    lanes: readonly { readonly lane: string; readonly after: string | null }[];
    dueAt: string;
    max: number;
    limit: number;
  },
  {
    readonly lane: string;
    readonly ids: readonly string[];
    /** The lowest of their priorities; null without ids. */
    readonly priority: number | null;
    readonly isEnd: boolean;
    readonly after: string | null;
  }
>('find-heads', import.meta.url);

/** The ids of due events that are the first of their keys, and the lowest of their priorities. */
export type Heads = { readonly ids: readonly string[]; readonly priority: number | null };

type Position = { readonly after: string | null; readonly ids: readonly string[]; hasUnclaimed: boolean };

/**
 * Opens one worker's position in the keys of ordered lanes, before the first key of each. After the last key it starts
 * another round with the first.
 */
export function openKeyCursor(db: Database) {
  const positions = new Map<string, Position>();
  let current: readonly Position[] = [];
  return {
    /** Advances in these lanes, and returns up to `limit` key heads of each: the ids of due events that are first of a key. */
    async next(
      lanes: readonly Lane[],
      { dueAt, limit }: { readonly dueAt: string; readonly limit: number },
    ): Promise<ReadonlyMap<string, Heads>> {
      if (lanes.length === 0) {
        current = [];
        return new Map();
      }
      const found = await findHeads(db, {
        lanes: lanes.map(({ lane }) => ({ lane, after: positions.get(lane)?.after ?? null })),
        dueAt,
        max: Math.ceil(maxKeys / lanes.length),
        limit,
      });
      for (const { lane, ids, isEnd, after } of found) {
        const before = positions.get(lane);
        // A new round starts with the first key again.
        const hasUnclaimed = before?.after === null ? false : (before?.hasUnclaimed ?? false);
        positions.set(lane, { after: isEnd ? null : after, ids, hasUnclaimed });
      }
      current = found.flatMap(({ lane }) => positions.get(lane) ?? []);
      return new Map(found.filter(({ ids }) => ids.length > 0).map((heads) => [heads.lane, heads]));
    },

    /** Records which heads were claimed. Returns whether the next call may find more. */
    hasMore(claimed: readonly { readonly id: string }[]): boolean {
      const claimedIds = new Set(claimed.map(({ id }) => id));
      for (const position of current) {
        const count = position.ids.filter((id) => claimedIds.has(id)).length;
        // If none was claimed, another worker has them or their target is down: another round would not help.
        if (count > 0 && count < position.ids.length) position.hasUnclaimed = true;
      }
      return current.some(({ after, hasUnclaimed }) => after !== null || hasUnclaimed);
    },
  };
}
