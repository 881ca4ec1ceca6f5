import { statement } from '../database/statement.ts';

export const createArchivePartitions = statement<{ ahead: number }, { readonly name: string }>(
  'create-archive-partitions',
);

/** `month` is its first day, `2026-03-01`. */
export const listArchivePartitions = statement<{ before: Date }, { readonly month: string }>(
  'list-archive-partitions',
);

/** Returns the lines of a page in slices: the last slice of a line ends with its line feed. */
export const readArchived = statement<
  { month: string; afterId: string; limit: number; maxBytes: number },
  { readonly id: string; readonly digest: string; readonly line: Buffer }
>('read-archived');

/**
 * Detaches a month if it still has the `exported` events, null for any; without a month, or if it is
 * detached, deletes a page. `nextId` is the position of the next page; null if the month is kept or no page
 * is left.
 */
export const dropArchiveMonth = statement<
  { month: string | null; exported: string | null; afterId: string; limit: number },
  { readonly nextId: string | null }
>('drop-archive-month');

/** Counts archived events up to `max`, between the first and last capture. No row if there are none. */
export const measureArchive = statement<
  { max: number },
  { readonly oldest: Date; readonly newest: Date; readonly events: number }
>('measure-archive');
