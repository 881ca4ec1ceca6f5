import type { Database } from '../../shared/database/database.ts';

/** Numbers of events by status, in the words of the terminal: `failed permanently`. */
export type Counts = Readonly<Record<string, number>>;

/** Counts events by status. */
export async function countEvents(db: Database): Promise<Counts> {
  const { rows } = await db.query<{ status: string; events: number }>({
    text: `
      select replace(lower(status), '_', ' ') as status, count(*)::int as events
      from dlq_events
      group by status`,
  });
  return Object.fromEntries(rows.map(({ status, events }) => [status, events]));
}

/** Formats counts: `3 pending, 0 processing, 12 succeeded, 1 failed permanently`. */
export function formatCounts(counts: Counts): string {
  const all: Counts = { pending: 0, processing: 0, succeeded: 0, 'failed permanently': 0, ...counts };
  return Object.entries(all)
    .map(([name, events]) => `${events} ${name}`)
    .join(', ');
}
