import type { RetentionConfig } from '../config/retention.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

export const createArchivePartitions = statement<{ ahead: number }, { readonly name: string }>(
  'create-archive-partitions',
);

/** Moves a batch; returns no row if no event is left to move. Times are text: a Date loses microseconds. */
const archiveEvents = statement<
  Days & { after: string; limit: number },
  { readonly failedAt: string; readonly events: number }
>('archive-events');

type Days = Pick<RetentionConfig, 'archiveAfterDays' | 'archiveUndecidedAfterDays' | 'sourceRetentionDays'>;

const batchSize = 500;

/**
 * Moves closed events to the archive, in batches of 500, until no event is old enough or `endsAt` (ms since
 * the epoch). Permanent failures that nobody decided stay unless `archiveUndecidedAfterDays` is set. Each
 * batch is one transaction: safe to kill and to call concurrently. Returns the number of events moved.
 */
export async function archiveClosed(db: Database, days: Days, endsAt: number): Promise<number> {
  let archived = 0;
  let after: string | undefined = '-infinity';
  while (after !== undefined && Date.now() < endsAt) {
    const [batch] = await archiveEvents(db, { ...days, after, limit: batchSize });
    archived += batch?.events ?? 0;
    after = batch?.failedAt;
  }
  return archived;
}
