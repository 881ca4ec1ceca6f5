import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database, Query } from './database.ts';

/** A statement, and its parameters in order: `name`, or `name.field` for a column of `records`. */
type Statement = { readonly text: string; readonly parameters: readonly string[] };

/** SQL that replaces `{name}` in the text of a statement. It may have parameters of its own. */
export type Fragments = Readonly<Record<string, string>>;

/**
 * Returns a typed function that runs `<name>.sql` of any folder, with `fragments` inserted. A parameter is
 * written `:name` and bound to the field of that name; a parameter of `records` is a list of flat objects. The
 * columns of a row become its fields, in camelCase. The function throws the errors of Database.query, and a
 * TypeError for a missing parameter. PostgreSQL prepares the statement once per connection.
 */
export function statement<Params extends Record<string, unknown>, Row>(
  name: string,
  fragments: Fragments = {},
) {
  // Read with the first call: a cold start does not read statements that its request does not run.
  let parsed: Statement | undefined;
  return (db: Database, params: Params): Promise<Row[]> => {
    parsed ??= readStatement(name, fragments);
    return queryRows<Row>(db, { name, text: parsed.text, values: bind(name, parsed, params) });
  };
}

/** In a clone the files are in the folders of shared/; a bundle has them beside its code. */
const isClone = import.meta.url.endsWith('.ts');
const folder = fileURLToPath(new URL(isClone ? '..' : '.', import.meta.url));
let files: ReadonlyMap<string, string> | undefined;

/** Reads `<name>.sql`. Throws if there is none. */
export function readStatement(name: string, fragments: Fragments): Statement {
  if (isClone) files ??= new Map(listFiles().map((file) => [path.basename(file), file]));
  const file = path.join(folder, files?.get(`${name}.sql`) ?? `${name}.sql`);
  return parseStatement(insert(readFileSync(file, 'utf8'), fragments));
}

const listFiles = () => readdirSync(folder, { recursive: true, encoding: 'utf8' });

/** Replaces `{name}` by the fragment of that name, if there is one. */
export function insert(sql: string, fragments: Fragments): string {
  return sql.replaceAll(/\{(\w+)\}/g, (whole, name: string) => fragments[name] ?? whole);
}

/** Numbers the parameters in order of first use. Leaves `::casts` unchanged, and removes comments. */
export function parseStatement(sql: string): Statement {
  const parameters: string[] = [];
  const expanded = sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(recordsCall, (...[, name, alias, definitions]) => unnestColumns(name, alias, definitions));
  const text = expanded.replaceAll(/(?<!:):([a-z][\w.]*)/gi, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { text, parameters };
}

/** `records(:outcomes) as outcome (id bigint, error text)`. A list in a record is the text of an array. */
const recordsCall = /\brecords\(:(\w+)\) as (\w+) \(([^)]+)\)/g;

/**
 * Reads a list of flat objects from one array per column: json_to_recordset() takes twice as long. In a list
 * of columns and not in FROM, which would store each array's elements as rows first. The planner expects ten
 * elements of an array, and would compare each with each, but 1,000 of a series of unknown length. A `select`
 * keeps it unknown: with an estimate of its own, each list would be planned again.
 */
function unnestColumns(name: string, alias: string, definitions: string): string {
  const columns = definitions.split(',').map((definition) => definition.trim().split(/\s+/));
  const arrays = columns.map(([column = '', ...type]) => {
    const field = column.replaceAll('"', '');
    return `unnest(:${name}.${field}::${type.join(' ')}[]) as ${column}`;
  });
  return `(select ${arrays.join(', ')}, generate_series(1, (select :${name}.length::int)) as nth) as ${alias}`;
}

/** Returns the values in order. Throws a TypeError for a missing one, which would be NULL in silence. */
export function bind(name: string, { parameters }: Statement, params: Record<string, unknown>) {
  return parameters.map((parameter) => {
    const [field = '', column] = parameter.split('.', 2);
    const value = params[field];
    if (value === undefined) throw new TypeError(`${name}.sql: the parameter :${field} has no value.`);
    if (column === undefined) return value;
    const list = value as readonly object[];
    return column === 'length' ? list.length : toArray(list, toField(column));
  });
}

/** Runs a query and returns its rows with the columns in camelCase: `retry_count` becomes `retryCount`. */
export async function queryRows<Row>(db: Database, query: Query): Promise<Row[]> {
  const { fields, rows } = await db.query<unknown[]>({ ...query, rowMode: 'array' });
  const names = fields.map(({ name }) => toField(name));
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i];
    return row as Row;
  });
}

/** Returns the field of a row that has a column: `retryCount` of `retry_count`. */
export function toField(column: string): string {
  return column.replaceAll(/_+([a-z0-9])/g, (_, next: string) => next.toUpperCase());
}

/** Formats a field of all records as an array, or as null, which is not parsed, if none has a value. */
function toArray(records: readonly object[], field: string): string | null {
  let hasValue = false;
  const elements = records.map((record) => {
    const value = record[field as keyof typeof record] as unknown;
    if (value === null || value === undefined) return 'NULL';
    hasValue = true;
    return toElement(value);
  });
  return hasValue ? `{${elements.join()}}` : null;
}

function toElement(value: unknown): string {
  if (Array.isArray(value)) return toElement(`{${value.map(toElement).join()}}`);
  if (typeof value === 'string')
    return `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, '\\$&') : value}"`;
  return value instanceof Date ? `"${value.toISOString()}"` : String(value);
}
