import { statement } from '../database/statement.ts';

/** Finds out whether events can be read. Throws what Database.query throws. */
export const probeReading = statement<Record<string, never>, never>('probe-reading', import.meta.url);
