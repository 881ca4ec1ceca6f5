import { findOverdueEvents } from '../../../shared/archive.ts';
import type { Database } from '../../../shared/database.ts';
import { log } from '../../../shared/log.ts';

/** Says how many events have been open for longer than `days`: they are kept for ever, so somebody has to decide. */
export async function warnOfOverdue(db: Database, days: number): Promise<number> {
  const before = new Date(Date.now() - days * 86_400_000);
  const [found] = await findOverdueEvents(db, { before });
  const { events = 0, oldest } = found ?? {};
  if (events > 0) {
    const oldestAt = oldest?.toISOString();
    log('WARNING', `${events} open events are older than ${days} days, the oldest since ${oldestAt}`, {
      act: 'overdue',
      events,
      oldestAt,
    });
  }
  return events;
}
