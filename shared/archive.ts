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

export const forgetAttempts = statement<
  { month: string; afterId: string; limit: number },
  { readonly id: string }
>('forget-attempts');

export const dropArchivePartition = statement<{ month: string }, { readonly isDropped: boolean }>(
  'drop-archive-partition',
);

export const findOverdueEvents = statement<
  { before: Date },
  { readonly events: number; readonly oldest: Date | null }
>('find-overdue-events');

/** Those that come back are named; the others are in no archive, or were captured anew meanwhile. */
export const restoreEvents = statement<
  { ids: readonly string[]; actor: string; reason: string },
  { readonly auditId: string; readonly restored: readonly string[] }
>('restore-events');
