import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { log } from '../log.ts';

const findOverdueEvents = statement<
  { before: Date },
  { readonly events: number; readonly oldest: Date | null }
>('find-overdue-events', import.meta.url);

const findUndecidedEvents = statement<{ before: Date }, { readonly events: number }>(
  'find-undecided-events',
  import.meta.url,
);

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

/** Days before their archival in which permanent failures that nobody decided are announced. */
const announcedDays = 7;

/**
 * Warns of permanent failures that nobody decided and that move to the archive within a week. Returns their
 * number. `afterDays` 0: none does.
 */
export async function warnOfUndecided(db: Database, afterDays: number): Promise<number> {
  if (afterDays === 0) return 0;
  const days = Math.max(0, afterDays - announcedDays);
  const [found] = await findUndecidedEvents(db, { before: new Date(Date.now() - days * 86_400_000) });
  const { events = 0 } = found ?? {};
  if (events > 0) {
    const message = `${events} events failed permanently, and move to the archive within ${announcedDays} days: replay or discard them`;
    log('WARNING', message, { action: 'undecided', events });
  }
  return events;
}
