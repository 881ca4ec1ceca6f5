import type { RetentionConfig } from '../config/retention.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Moves a batch; returns no row if no event is left to move. Times are text: a Date loses microseconds. */
const archiveEvents = statement<
  { after: string; closedBefore: Date; undecidedBefore: Date | null; capturedBefore: Date; limit: number },
  { readonly failedAt: string; readonly events: number }
>('archive-events', import.meta.url);

const batchSize = 500;
const dayMs = 86_400_000;

/**
 * Moves closed events to the archive, in batches of 500, until no event is old enough or `endsAt` (ms since
 * the epoch). Permanent failures that nobody decided stay unless `archiveUndecidedAfterDays` is set. Each
 * batch is one transaction: safe to kill and to call concurrently. Returns the number of events moved.
 */
export async function archiveClosed(
  db: Database,
  {
    archiveAfterDays,
    archiveUndecidedAfterDays,
    sourceRetentionDays,
  }: Pick<RetentionConfig, 'archiveAfterDays' | 'archiveUndecidedAfterDays' | 'sourceRetentionDays'>,
  endsAt: number,
): Promise<number> {
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);
  const closedBefore = daysAgo(archiveAfterDays);
  const undecidedBefore = archiveUndecidedAfterDays > 0 ? daysAgo(archiveUndecidedAfterDays) : null;
  const capturedBefore = daysAgo(sourceRetentionDays);
  let archived = 0;
  let after: string | undefined = '-infinity';
  while (after !== undefined && Date.now() < endsAt) {
    const [batch] = await archiveEvents(db, {
      after,
      closedBefore,
      undecidedBefore,
      capturedBefore,
      limit: batchSize,
    });
    archived += batch?.events ?? 0;
    after = batch?.failedAt;
  }
  return archived;
}
