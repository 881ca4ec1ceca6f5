import { statement } from '../database/statement.ts';

/** Events by status. */
export type Depths = {
  readonly pending: number;
  readonly processing: number;
  readonly succeeded: number;
  readonly failedPermanently: number;
  readonly discarded: number;
};

/** Counts the events that are in each status now. Exact. */
export const sumDepths = statement<Record<string, never>, Depths>('sum-depths', import.meta.url);
