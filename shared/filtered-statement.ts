import { readFileSync } from 'node:fs';
import type { Database } from './database.ts';
import { toCondition } from './filter/filter-condition.ts';
import type { Filter } from './filter/filter-schema.ts';
import { parseStatement } from './sql.ts';

/**
 * Makes a typed function of one statement, `sql/<name>.sql`, in which `:filter` stands for what a filter asks of
 * `dlq_events as event`. Its text is another one with each filter, so that it is not prepared.
 */
export function filteredStatement<Params extends Record<string, unknown>, Row>(name: string) {
  const file = readFileSync(new URL(`sql/${name}.sql`, import.meta.url), 'utf8');
  const { text, parameters } = parseStatement(file.replaceAll(':filter', '{filter}'));
  return async (db: Database, filter: Filter, params: Params): Promise<Row[]> => {
    const condition = toCondition(filter, { now: new Date(), first: parameters.length + 1 });
    const values = [...parameters.map((parameter) => params[parameter]), ...condition.values];
    return (await db.query<Row>({ text: text.replaceAll('{filter}', () => condition.text), values })).rows;
  };
}
