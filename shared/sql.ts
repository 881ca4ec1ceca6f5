import type { Database } from './database.ts';
import { readSql } from './read-sql.ts';

/**
 * Makes a typed function of one statement, `sql/<name>.sql`. A parameter is written `:name` there and taken from
 * the field of that name. PostgreSQL prepares the statement once for each connection. A bundle brings the text itself.
 */
/* @__NO_SIDE_EFFECTS__ */
export function statement<Params extends Record<string, unknown>, Row>(name: string, sql = readSql(name)) {
  const { text, parameters } = parseStatement(sql);
  return async (db: Database, params: Params): Promise<Row[]> => {
    const values = parameters.map((parameter) => params[parameter]);
    return (await db.query<Row>({ name, text, values })).rows;
  };
}

/** Numbers the parameters in order of first use. `::casts` are left alone; comments may hold what they like. */
export function parseStatement(sql: string): { text: string; parameters: string[] } {
  const parameters: string[] = [];
  const text = sql.replaceAll(/--.*$/gm, '').replaceAll(/(?<!:):([a-z]\w*)/gi, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { text, parameters };
}
