import type { Database } from './database.ts';
import { readSql } from './read-sql.ts';

type Statement = { readonly text: string; readonly parameters: readonly string[] };

/**
 * Makes a typed function of one statement, `sql/<name>.sql`. A parameter is written `:name` there and taken from
 * the field of that name. PostgreSQL prepares the statement once for each connection. A bundle brings the text itself.
 */
/* @__NO_SIDE_EFFECTS__ */
export function statement<Params extends Record<string, unknown>, Row>(name: string, sql = readSql(name)) {
  // Not before it is needed: a cold start would read what most requests do not ask for.
  let parsed: Statement | undefined;
  return async (db: Database, params: Params): Promise<Row[]> => {
    parsed ??= parseStatement(sql);
    const { text, parameters } = parsed;
    const values = parameters.map((parameter) => params[parameter]);
    return (await db.query<Row>({ name, text, values })).rows;
  };
}

/** Numbers the parameters in order of first use. `::casts` are left alone; comments may hold what they like. */
export function parseStatement(sql: string): Statement {
  const parameters: string[] = [];
  const text = sql.replaceAll(/--.*$/gm, '').replaceAll(/(?<!:):([a-z]\w*)/gi, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { text, parameters };
}
