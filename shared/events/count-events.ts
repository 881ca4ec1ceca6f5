import { filteredStatement } from './filter/filtered-statement.ts';

/** The number of events that a filter matches, at most `max`. */
export const countEvents = filteredStatement<{ max: number }, { readonly events: number }>(
  'count-events',
  import.meta.url,
);
