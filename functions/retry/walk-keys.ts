import type { Database } from '../../shared/database.ts';
import { findHeads } from '../../shared/events.ts';
import type { Lane } from '../../shared/lanes.ts';

/** So many keys are looked at for one claim, in all lanes together: that takes some milliseconds. */
const mostKeys = 1000;

/** Ids of events by their lane. */
export type Heads = ReadonlyMap<string, readonly string[]>;

/** One worker's way through the keys of ordered lanes, round after round. */
export type KeyWalk = {
  /** Goes on in these lanes, and finds up to `limit` events of each that are due and first in their key. */
  next(lanes: readonly Lane[], due: { readonly dueAt: string; readonly limit: number }): Promise<Heads>;
  /** Takes note of which of them could be claimed. Whether it is worth going on at once. */
  hasMore(claimed: readonly { readonly id: string }[]): boolean;
};

type Place = { readonly after: string | null; readonly ids: readonly string[]; hasLeftSome: boolean };

/** Starts with the first key of each lane. */
export function openKeyWalk(db: Database): KeyWalk {
  const places = new Map<string, Place>();
  let seen: readonly Place[] = [];
  return {
    async next(lanes, { dueAt, limit }) {
      const wanted = lanes.map(({ lane }) => ({ lane, after: places.get(lane)?.after ?? null }));
      const most = Math.ceil(mostKeys / Math.max(1, wanted.length));
      const due = { lanes: JSON.stringify(wanted), dueAt, most, limit };
      const found = wanted.length > 0 ? await findHeads(db, due) : [];
      for (const { lane, ids, is_end, after } of found) {
        const before = places.get(lane);
        const hasLeftSome = before?.after === null ? false : (before?.hasLeftSome ?? false);
        places.set(lane, { after: is_end ? null : after, ids, hasLeftSome });
      }
      seen = found.flatMap(({ lane }) => places.get(lane) ?? []);
      return new Map(found.filter(({ ids }) => ids.length > 0).map(({ lane, ids }) => [lane, ids]));
    },
    hasMore(claimed) {
      const taken = new Set(claimed.map(({ id }) => id));
      for (const place of seen) {
        const count = place.ids.filter((id) => taken.has(id)).length;
        // None taken at all: they are another worker's by now, or their target is down.
        if (count > 0 && count < place.ids.length) place.hasLeftSome = true;
      }
      return seen.some(({ after, hasLeftSome }) => after !== null || hasLeftSome);
    },
  };
}
