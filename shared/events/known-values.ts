import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Values that conditions of a filter can name. */
export type KnownValues = Readonly<
  Record<'eventTypes' | 'errorClasses' | 'consumerGroups' | 'subscriptions', readonly string[]>
>;

const listRows = statement<{ groups: number }, KnownValues>('list-known-values');

/** The types, error classes, consumers and subscriptions of the latest 200 error groups, each sorted. */
export async function listKnownValues(db: Database): Promise<KnownValues> {
  const [values] = await listRows(db, { groups: 200 });
  return values ?? { eventTypes: [], errorClasses: [], consumerGroups: [], subscriptions: [] };
}
