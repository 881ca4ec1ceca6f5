import type { Seen, Violation } from '../seen.ts';

/** Each event whose capture was answered with 200 is stored, unless an operator deleted it. */
export function findLost({ ledger, events }: Seen): Violation[] {
  const stored = new Map(events.map(({ id, name }) => [id, name]));
  return [...ledger.sent.values()].flatMap(({ name, capturedAt, rows }) =>
    [...rows]
      .filter((row) => capturedAt !== undefined && !ledger.deleted.has(row) && stored.get(row) !== name)
      .map((row) => ({ row, text: `${name} was captured as ${row}, which is ${stored.get(row) ?? 'gone'}` })),
  );
}

/** No event is in two rows. */
export function findTwice({ ledger, events }: Seen): Violation[] {
  const rowsOf = Map.groupBy(events, ({ name }) => name ?? '');
  const stored = [...rowsOf].filter(([, rows]) => rows.length > 1);
  const answered = [...ledger.sent.values()].filter(({ rows }) => rows.size > 1);
  return [
    ...stored.map(([name, rows]) => ({ text: `${name} is in rows ${rows.map(({ id }) => id)}` })),
    // An event that an operator has deleted is new to the database when it is sent again.
    ...answered
      .filter(({ rows }) => [...rows].filter((row) => !ledger.deleted.has(row)).length > 1)
      .map(({ name, rows }) => ({ text: `${name} was captured as ${[...rows]}` })),
  ];
}

/**
 * Each stored message, and each delivered one, has the bytes of its sender, or those of an operator's edit.
 */
export function findWrongBytes({ ledger, events }: Seen): Violation[] {
  const digests = new Map([...ledger.sent.values()].map(({ name, digest }) => [name, digest]));
  const rows = new Map(
    [...ledger.sent.values()].flatMap(({ rows, digest }) => [...rows].map((row) => [row, digest])),
  );
  for (const { id, name } of events) rows.set(id, digests.get(name ?? '') ?? 'unknown');
  return [
    ...events
      .filter(({ name, digest }) => digests.get(name ?? '') !== digest)
      .map(({ id, name }) => ({ row: id, text: `the stored message of ${name} is not that of its sender` })),
    ...ledger.deliveries
      .filter(({ row, digest }) => rows.get(row) !== digest && !ledger.edits.has(digest))
      // A sender that gave up does not know the row, which an operator may have deleted since.
      .filter(({ row }) => rows.has(row) || !ledger.deleted.has(row))
      .map(({ row, id }) => ({ row, text: `${id} carried other bytes than those of its sender` })),
  ];
}
