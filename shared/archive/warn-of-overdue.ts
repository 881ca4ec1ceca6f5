import type { RetentionConfig } from '../config/retention.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { log } from '../log.ts';

/** `undecidedDays` null: permanent failures are not counted. */
const findOverdueEvents = statement<
  { openDays: number; undecidedDays: number | null },
  { readonly overdue: number; readonly oldest: Date | null; readonly undecided: number }
>('find-overdue-events');

/** Days before their archival in which permanent failures that nobody decided are announced. */
const announcedDays = 7;

type Days = Pick<RetentionConfig, 'openWarnDays' | 'archiveUndecidedAfterDays'>;

/**
 * Warns of events that have been open for more than `openWarnDays`, which are never archived, and of
 * permanent failures that nobody decided and that move to the archive within a week: an operator must decide.
 * Returns their numbers. `archiveUndecidedAfterDays` 0: none moves.
 */
export async function warnOfOverdue(
  db: Database,
  { openWarnDays: openDays, archiveUndecidedAfterDays: afterDays }: Days,
): Promise<{ overdue: number; undecided: number }> {
  const undecidedDays = afterDays === 0 ? null : Math.max(0, afterDays - announcedDays);
  const [found] = await findOverdueEvents(db, { openDays, undecidedDays });
  const { overdue = 0, oldest, undecided = 0 } = found ?? {};
  if (overdue > 0) {
    const oldestAt = oldest?.toISOString();
    const message = `${overdue} open events are older than ${openDays} days, the oldest from ${oldestAt}`;
    log('WARNING', message, { action: 'overdue', events: overdue, oldestAt });
  }
  if (undecided > 0) {
    const message = `${undecided} events failed permanently, and move to the archive within ${announcedDays} days: replay or discard them`;
    log('WARNING', message, { action: 'undecided', events: undecided });
  }
  return { overdue, undecided };
}
