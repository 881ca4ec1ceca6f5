import type { Database } from '../../shared/database.ts';
import { compareDepths } from '../../test/support/counts.ts';
import type { Sent } from './senders.ts';

export type Outcome = {
  /** Captures that were told that their event is new: so many events there are. */
  readonly captured: number;
  readonly live: number;
  readonly archived: number;
  readonly duplicates: number;
  readonly recognised: number;
  /** Duplicates that came after their event had gone to the archive: each an event of its own again. */
  readonly capturedAnew: number;
  /** Ids in more than one row, of either table. */
  readonly idsTwice: number;
  /** Identities that have another number of rows than of captures that were told so. */
  readonly unexplained: number;
  /** Sums by event type, error group and status that differ from the rows. */
  readonly wrongCounts: number;
  /** Captures that the counters tell less those there were. */
  readonly miscounted: number;
  readonly slowestCaptureMs: number;
};

/** Holds what is in both tables, and what is counted of it, against what capture answered. */
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
  const { told, found } = await compareDepths({ sql } as Parameters<typeof compareDepths>[0]);
  const [counted] = await sql<{ captures: number }>('select sum(captures)::int as captures from dlq_hours');
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
    wrongCounts: countDifferences(told, found),
    miscounted: (counted?.captures ?? 0) - captured,
    slowestCaptureMs: Math.round(sent.slowestMs),
  };
}

/** Rows of either list that are not in the other. */
function countDifferences(told: readonly unknown[], found: readonly unknown[]): number {
  const [one, other] = [told, found].map((list) => list.map((each) => JSON.stringify(each))) as [
    string[],
    string[],
  ];
  return (
    one.filter((each) => !other.includes(each)).length + other.filter((each) => !one.includes(each)).length
  );
}
