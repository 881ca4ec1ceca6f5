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
export const sumDepths = statement<Record<string, never>, Depths>('sum-depths');

/** Lists the first `max` event types that were ever counted. */
export const listFirstTypes = statement<{ max: number }, { readonly eventType: string }>('list-first-types');
