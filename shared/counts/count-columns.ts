/** Counted changes of events, as columns of dlq_count_deltas and dlq_counts. */
const counts = ['captures', 'recurrences', 'retry_failures', 'deliveries', 'permanent_failures', 'discards'];

const depths = ['pending', 'processing', 'succeeded', 'failed_permanently', 'discarded'];
const totals = [...depths, ...counts, 'conflicts'];

/** Lists of columns for statements that add counts to rows that may be `known`. */
export const countColumns = {
  counts: counts.join(', '),
  countSums: sums(counts),
  addedCounts: additions(counts),
  totals: totals.join(', '),
  totalSums: sums(totals),
  addedTotals: additions(totals),
};

function sums(columns: readonly string[]): string {
  return columns.map((column) => `sum(${column}) as ${column}`).join(', ');
}

function additions(columns: readonly string[]): string {
  return columns.map((column) => `${column} = known.${column} + excluded.${column}`).join(', ');
}
