import { statement } from '../database/statement.ts';

/**
 * Counts archived events up to `max`, with the times of the first and the last capture. Returns no row for an
 * empty archive.
 */
export const measureArchive = statement<
  { max: number },
  { readonly oldest: Date; readonly newest: Date; readonly events: number }
>('measure-archive', import.meta.url);
