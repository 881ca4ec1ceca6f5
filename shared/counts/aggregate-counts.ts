import type { Database } from '../database/database.ts';
import { type Batch, repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';

/** Counted changes of events, as columns of dlq_count_deltas and dlq_counts. */
const counts = ['captures', 'recurrences', 'retry_failures', 'deliveries', 'permanent_failures', 'discards'];

const depths = ['pending', 'processing', 'succeeded', 'failed_permanently', 'discarded'];
const totals = [...depths, ...counts, 'conflicts'];

/** Lists of columns for statements that add counts to rows that may be `known`. */
export const countColumns = {
  counts: counts.join(', '),
  countSums: sumColumns(counts),
  addedCounts: addColumns(counts),
  totals: totals.join(', '),
  totalSums: sumColumns(totals),
  addedTotals: addColumns(totals),
};

function sumColumns(columns: readonly string[]): string {
  return columns.map((column) => `sum(${column}) as ${column}`).join(', ');
}

function addColumns(columns: readonly string[]): string {
  return columns.map((column) => `${column} = known.${column} + excluded.${column}`).join(', ');
}

const aggregateDeltas = statement<{ limit: number }, Batch>('aggregate-counts', countColumns);

const batchSize = 20_000;

/**
 * Moves the deltas of the triggers into the sums, for up to `maxMs`, and returns their number. It keeps views
 * fast and creates error groups. Moves none while another session keeps a sum locked.
 */
export function aggregateCounts(db: Database, maxMs?: number): Promise<number> {
  const moveBatch = () => unlessLocked(aggregateDeltas(db, { limit: batchSize }), []);
  return repeatBatches(batchSize, moveBatch, maxMs);
}

const purgeHours = statement<{ hourlyDays: number; days: number; limit: number }, Batch>(
  'purge-hours',
  countColumns,
);

/** A chart of a week is by six hours. */
const hourlyDays = 8;
const retentionDays = 400;

/**
 * Adds up the hours of error groups to days after 8 days, and deletes counts that are older than 400 days.
 * Returns the number of these rows. What happened so far stays counted.
 */
export function purgeCounts(db: Database): Promise<number> {
  const limits = { hourlyDays, days: retentionDays, limit: batchSize };
  return repeatBatches(batchSize, () => purgeHours(db, limits));
}
