import type { Database } from '../database/database.ts';
import { log } from '../log.ts';
import { findOverdueEvents } from './archive.ts';

/**
 * Warns of events that have been open for more than `days`: they are never archived, so an operator must
 * decide. Returns their number.
 */
export async function warnOfOverdue(db: Database, days: number): Promise<number> {
  const before = new Date(Date.now() - days * 86_400_000);
  const [found] = await findOverdueEvents(db, { before });
  const { events = 0, oldest } = found ?? {};
  if (events > 0) {
    const oldestAt = oldest?.toISOString();
    const message = `${events} open events are older than ${days} days, the oldest from ${oldestAt}`;
    log('WARNING', message, { action: 'overdue', events, oldestAt });
  }
  return events;
}
