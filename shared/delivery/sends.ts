import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { inBatches } from './in-batches.ts';

type Send = { readonly id: string; readonly leaseToken: string; readonly target: string };

/**
 * The events of one lease and target, as an array literal: PostgreSQL parses each lease once, and not for
 * each event.
 */
type LeaseSends = Omit<Send, 'id'> & { readonly eventIds: string };

const recordSends = statement<{ sends: readonly LeaseSends[] }, { readonly sentAt: number }>(
  'record-sends',
  import.meta.url,
);

/** Records the beginning of a delivery. */
export type RecordSend = ((send: Send) => Promise<void>) & {
  /**
   * Converts a time of this process, in ms, to the clock of the database, in seconds. The result is too early
   * by the time that the answer to the last record took, and never too late.
   */
  readonly toDatabaseSeconds: (ms: number) => number;
};

/**
 * Returns a function that records the beginning of a delivery, and resolves once that is committed: if the
 * worker dies, its lease costs the events a retry that were recorded. Deliveries that begin while one
 * statement runs share the next. Throws DatabaseUnavailableError.
 */
export function openSends(db: Database): RecordSend {
  let aheadMs = 0;
  const record = inBatches(async (sends: readonly Send[]) => {
    const [first] = await recordSends(db, { sends: groupByLease(sends) });
    if (first) aheadMs = first.sentAt * 1000 - Date.now();
  });
  return Object.assign(record, { toDatabaseSeconds: (ms: number) => (ms + aheadMs) / 1000 });
}

function groupByLease(sends: readonly Send[]): readonly LeaseSends[] {
  const leases = Map.groupBy(sends, ({ leaseToken, target }) => `${leaseToken} ${target}`);
  return [...leases.values()].flatMap((ofLease) => {
    const [first] = ofLease;
    if (!first) return [];
    const { leaseToken, target } = first;
    return [{ leaseToken, target, eventIds: `{${ofLease.map(({ id }) => id).join()}}` }];
  });
}
