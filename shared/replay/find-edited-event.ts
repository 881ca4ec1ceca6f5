import { statement } from '../database/statement.ts';

/** Finds the event whose message an operator edited for a run. */
export const findEditedEvent = statement<{ runId: string }, { readonly id: string }>(
  'find-edited-event',
  import.meta.url,
);
