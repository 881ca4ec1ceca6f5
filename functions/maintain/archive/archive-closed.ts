import { archiveEvents } from '../../../shared/archive.ts';
import type { Database } from '../../../shared/database.ts';
import type { RetentionConfig } from '../../../shared/retention-config.ts';

const batchSize = 500;
const dayMs = 86_400_000;

/**
 * Moves closed events that are old enough to the archive, batch after batch until none is left or `endsAt` (ms since the epoch) has
 * come. Each batch is whole: to be killed at any moment, or to run twice at once, costs nothing. Returns how many were moved.
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
