import { statement } from '../database/statement.ts';

/**
 * Finds out whether deliveries can be settled, without changing anything. Throws what Database.query throws.
 */
export const probeSettlement = statement<Record<string, never>, never>('probe-settlement', import.meta.url);
