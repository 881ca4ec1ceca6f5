import { statement } from '../database/statement.ts';

/** Finds out whether events can be archived, without changing any. Throws what Database.query throws. */
export const probeArchiving = statement<Record<string, never>, never>('probe-archiving', import.meta.url);
