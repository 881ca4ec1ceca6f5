import { statement } from '../database/statement.ts';

/** A waiting event of a run that will not be delivered: why, as a code, and in words if they vary. */
export type Skipped = { readonly id: string; readonly reason: string; readonly detail?: string };

export const skipRunEvents = statement<{ runId: string; skipped: readonly Skipped[] }, never>(
  'skip-run-events',
  import.meta.url,
);
