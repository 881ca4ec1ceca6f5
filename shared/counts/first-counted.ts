import { statement } from '../database/statement.ts';

/** Lists the first `max` event types that were ever counted. */
export const listFirstTypes = statement<{ max: number }, { readonly eventType: string }>(
  'list-first-types',
  import.meta.url,
);
