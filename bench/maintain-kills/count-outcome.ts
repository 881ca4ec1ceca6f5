import type { Database } from '../../shared/database/database.ts';
import { compareDepths } from '../../test/support/counts.ts';
import type { Sent } from './senders.ts';

export type Outcome = {
  /** Captures answered as new; equals the number of events. */
  readonly captured: number;
  readonly live: number;
  readonly archived: number;
  readonly duplicates: number;
  readonly recognised: number;
  /** Duplicates that came after their event had gone to the archive: each an event of its own again. */
  readonly capturedAnew: number;
  /** Ids in more than one row, of either table. */
  readonly idsTwice: number;
  /** Identities whose number of rows differs from their captures answered as new. */
  readonly unexplained: number;
  /** Sums by event type, error group and status that differ from the rows. */
  readonly wrongCounts: number;
  /** Counted captures minus actual ones. */
  readonly miscounted: number;
  readonly slowestCaptureMs: number;
};

/** Compares the rows of both tables, and their counts, with the answers of capture. */
export async function countOutcome(db: Database, sent: Sent): Promise<Outcome> {
  const sql = async <Row>(text: string) => (await db.query<Row>({ text })).rows;
  const rows = await sql<{ key: string; id: string; archived: boolean }>(
    `select event_id as key, id, false as archived from dlq_events
     union all select event_id, id, true from dlq_events_archive`,
  );
  const byKey = new Map<string, number>();
  for (const { key } of rows) byKey.set(key, (byKey.get(key) ?? 0) + 1);
  const captured = [...sent.newOnes.values()].reduce((sum, times) => sum + times, 0);
  const keys = new Set([...byKey.keys(), ...sent.newOnes.keys()]);
  const { reported, found } = await compareDepths({ sql } as Parameters<typeof compareDepths>[0]);
  const [counted] = await sql<{ captures: number }>(
    'select sum(captures)::int as captures from dlq_counts_by_hour',
  );
  const archived = rows.filter((row) => row.archived).length;
  return {
    captured,
    live: rows.length - archived,
    archived,
    duplicates: sent.duplicates,
    recognised: sent.recognised,
    capturedAnew: captured - sent.newOnes.size,
    idsTwice: rows.length - new Set(rows.map(({ id }) => id)).size,
    unexplained: [...keys].filter((key) => byKey.get(key) !== sent.newOnes.get(key)).length,
    wrongCounts: countDifferences(reported, found),
    miscounted: (counted?.captures ?? 0) - captured,
    slowestCaptureMs: Math.round(sent.slowestMs),
  };
}

/** Rows of either list that are not in the other. */
function countDifferences(reported: readonly unknown[], found: readonly unknown[]): number {
  const [one, other] = [reported, found].map((list) => list.map((each) => JSON.stringify(each))) as [
    string[],
    string[],
  ];
  return (
    one.filter((each) => !other.includes(each)).length + other.filter((each) => !one.includes(each)).length
  );
}
