import { statement } from './sql.ts';

/** Moves a batch; nothing comes back once there is nothing left to move. Times are text: a Date loses microseconds. */
export const archiveEvents = statement<
  { after: string; closedBefore: Date; capturedBefore: Date; limit: number },
  { readonly failedAt: string; readonly events: number }
>('archive-events');

export const createArchivePartitions = statement<{ ahead: number }, { readonly name: string }>(
  'create-archive-partitions',
);

/** `month` is its first day, `2026-03-01`. */
export const listArchivePartitions = statement<{ before: Date }, { readonly month: string }>(
  'list-archive-partitions',
);

export const readArchived = statement<
  { month: string; afterId: string; limit: number },
  { readonly id: string; readonly line: string }
>('read-archived');

/** `events`: so many it has to have still, null: whatever it has. */
export const dropArchivePartition = statement<
  { month: string; events: number | null },
  { readonly isDropped: boolean }
>('drop-archive-partition');

/** `lastId` is where the next page goes on from; null: nothing is left. */
export const forgetDroppedEvents = statement<
  { afterId: string; limit: number },
  { readonly lastId: string | null }
>('forget-dropped-events');

export const findOverdueEvents = statement<
  { before: Date },
  { readonly events: number; readonly oldest: Date | null }
>('find-overdue-events');

/** Those that come back are named; the others are in no archive, or were captured anew meanwhile. */
export const restoreEvents = statement<
  { ids: readonly string[]; actor: string; reason: string },
  { readonly auditId: string; readonly restored: readonly string[] }
>('restore-events');
