import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { described } from '../response-values.ts';

const texts = v.array(v.string());

/** Values that conditions of a filter can name. */
export const KnownValuesSchema = v.strictObject({
  eventTypes: texts,
  errorClasses: described(texts, 'Of events that have one.'),
  consumerGroups: described(texts, 'Of events that have one.'),
  subscriptions: described(texts, 'Of events that have one.'),
});

export type KnownValues = Readonly<v.InferOutput<typeof KnownValuesSchema>>;

const listRows = statement<{ groups: number }, KnownValues>('list-known-values');

/** The types, error classes, consumers and subscriptions of the latest 200 error groups, each sorted. */
export async function listKnownValues(db: Database): Promise<KnownValues> {
  const [values] = await listRows(db, { groups: 200 });
  return values ?? { eventTypes: [], errorClasses: [], consumerGroups: [], subscriptions: [] };
}
