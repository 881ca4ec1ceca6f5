import type { TestDatabase } from './database.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Vacuums dlq_events until an index alone can answer: while a connection still sees rows that were deleted,
 * pages have to be looked at, and the planner prefers another scan.
 */
export function vacuumEvents({ sql }: Pick<TestDatabase, 'sql'>): Promise<void> {
  return waitUntil('all rows of dlq_events are visible to all', async () => {
    await sql('vacuum (analyze, index_cleanup on) dlq_events');
    const pages = await sql(
      `select from pg_class where oid = 'dlq_events'::regclass and relallvisible >= relpages`,
    );
    return pages.length > 0;
  });
}
