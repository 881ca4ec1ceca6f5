import type { Seen, Violation } from '../seen.ts';
import { findDoubles, findSettled } from './doubles.ts';

/** Each event that SUCCEEDED, and each attempt that was delivered, was accepted by the target. */
export function findUnaccepted(seen: Seen): Violation[] {
  const accepted = seen.ledger.deliveries.filter(({ acceptedAt }) => acceptedAt !== undefined);
  const rows = new Set(accepted.map(({ row }) => row));
  const ids = new Set(accepted.map(({ id }) => id));
  return [
    ...seen.events
      .filter(({ id, status }) => status === 'SUCCEEDED' && !rows.has(id))
      .map(({ id }) => ({ row: id, text: `${id} SUCCEEDED, and no target has accepted it` })),
    ...[...findSettled(seen)]
      .filter((id) => !ids.has(id))
      .map((id) => ({ text: `${id} is settled as delivered, and no target has accepted it` })),
  ];
}

/** Each double is explained. */
export function findUnexplained(seen: Seen): Violation[] {
  return findDoubles(seen)
    .filter(({ why }) => why === undefined)
    .map(({ row, first, next }) => ({ row, text: `${row} was accepted as ${first.id} and as ${next.id}` }));
}

/**
 * The events of a key arrive in the order of their rows: none before its predecessor is settled as delivered.
 * Events on which operators acted are no predecessors: they may be out of the way.
 */
export function findDisorder(seen: Seen): Violation[] {
  const { ledger, events } = seen;
  const settled = findSettled(seen);
  const touched = new Set([...ledger.actions.flatMap(({ rows }) => rows), ...ledger.deleted]);
  const byRow = Map.groupBy(ledger.deliveries, ({ row }) => row);
  return [...Map.groupBy(events, ({ source_key }) => source_key)].flatMap(([key, rows]) => {
    if (key === null) return [];
    const untouched = rows.filter(({ id }) => !touched.has(id));
    return untouched.slice(1).flatMap(({ id }, i) => {
      const before = untouched[i]?.id ?? '';
      const done = byRow.get(before)?.find((each) => settled.has(each.id));
      const [arrived] = byRow.get(id) ?? [];
      if (!arrived || (done && (done.acceptedAt ?? 0) <= arrived.arrivedAt)) return [];
      return [{ row: id, text: `${id} arrived before ${before}, the event before it of ${key}` }];
    });
  });
}
