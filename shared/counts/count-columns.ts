/** What happened to events, as columns of dlq_count_deltas, dlq_counts_current and dlq_counts_hourly. */
const counts = ['captures', 'recurrences', 'retry_failures', 'deliveries', 'permanent_failures', 'discards'];

/** Events by status, without those in PROCESSING, which are counted by the end of their lease. */
const states = ['pending', 'succeeded', 'failed_permanently', 'discarded'];

/** Lists of columns for statements that add counts to rows that may be `known`. */
export const countColumns = {
  counts: counts.join(', '),
  countSums: sums(counts),
  addedCounts: additions(counts),
  states: states.join(', '),
  stateSums: sums(states),
  addedStates: additions(states),
};

function sums(columns: readonly string[]): string {
  return columns.map((column) => `sum(${column}) as ${column}`).join(', ');
}

function additions(columns: readonly string[]): string {
  return columns.map((column) => `${column} = known.${column} + excluded.${column}`).join(', ');
}
