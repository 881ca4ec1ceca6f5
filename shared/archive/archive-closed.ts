import type { RetentionConfig } from '../config/retention.ts';
import type { Database } from '../database/database.ts';
import { archiveEvents } from './archive.ts';

const batchSize = 500;
const dayMs = 86_400_000;

/**
 * Moves closed events to the archive, in batches of 500, until no event is old enough or `endsAt` (ms since
 * the epoch). Each batch is one transaction: safe to kill and to call concurrently. Returns the number of
 * events moved.
 */
export async function archiveClosed(
  db: Database,
  {
    archiveAfterDays,
    sourceRetentionDays,
  }: Pick<RetentionConfig, 'archiveAfterDays' | 'sourceRetentionDays'>,
  endsAt: number,
): Promise<number> {
  const now = Date.now();
  const closedBefore = new Date(now - archiveAfterDays * dayMs);
  const capturedBefore = new Date(now - sourceRetentionDays * dayMs);
  let archived = 0;
  let after: string | undefined = '-infinity';
  while (after !== undefined && Date.now() < endsAt) {
    const [batch] = await archiveEvents(db, { after, closedBefore, capturedBefore, limit: batchSize });
    archived += batch?.events ?? 0;
    after = batch?.failedAt;
  }
  return archived;
}
