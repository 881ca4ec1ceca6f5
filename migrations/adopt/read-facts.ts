import pg from 'pg';
import { facts } from './facts.ts';
import type { Column } from './inspect-table.ts';
import type { Mapping } from './mapping.ts';

/** A table to read, and how its columns are understood. */
export type Source = {
  readonly columns: readonly Column[];
  readonly mapping: Mapping;
  /** The zone of times that have none. */
  readonly timeZone: string;
  readonly isImport: boolean;
};

const integers: Readonly<Record<string, string>> = {
  integer: 'between -2147483648 and 2147483647',
  smallint: 'between -32768 and 32767',
  bigint: 'is not null',
};

const targetTypes: Readonly<Record<string, string>> = {
  id: 'bigint',
  payload: 'jsonb',
  headers: 'jsonb',
  metadata: 'jsonb',
  priority: 'smallint',
  source_offset: 'bigint',
};

/** The type of a column of dlq_events that a fact fills. */
function targetType(fact: string): string {
  const { same } = facts[fact] as (typeof facts)[string];
  if (targetTypes[fact]) return targetTypes[fact];
  if (same.test('timestamp with time zone')) return 'timestamptz';
  return same.test('integer') ? 'integer' : 'text';
}

/** The column of the source that fills a fact: the one of the mapping, of the same name, or of the first synonym. */
export function findColumn({ columns, mapping, isImport }: Source, fact: string): Column | undefined {
  // An imported event gets an id of its own.
  if (isImport && fact === 'id') return undefined;
  const given = mapping.columns[fact];
  if (given !== undefined) return columns.find(({ name }) => name === given);
  const { same, converted, imported, synonyms = [] } = facts[fact] as (typeof facts)[string];
  const isReadable = ({ type }: Column) =>
    same.test(type) || converted?.test(type) || (isImport && imported?.test(type));
  const named = columns.find(({ name }) => name === fact);
  if (named) return named;
  return synonyms
    .map((synonym) => columns.find(({ name }) => name === synonym))
    .find((column) => column !== undefined && isReadable(column));
}

/** A list of SQL expressions, each `as` the fact it reads from the row `old`; null if the source has no such column. */
export function readFacts(source: Source): string {
  return Object.keys(facts)
    .map((fact) => `${readFact(source, fact)} as ${fact}`)
    .join(',\n');
}

/** SQL for the value of a fact; a priority that is out of its range is as the source has it. */
export function readValue(source: Source, fact: string): string {
  const column = fact === 'priority' ? findColumn(source, fact) : undefined;
  return column ? `old.${pg.escapeIdentifier(column.name)}` : `(${readFact(source, fact)})`;
}

function readFact(source: Source, fact: string): string {
  const type = targetType(fact);
  const given = source.mapping.columns[fact];
  if (typeof given === 'object') {
    return type === 'jsonb'
      ? `to_jsonb(${pg.escapeLiteral(given.value)}::text)`
      : `${pg.escapeLiteral(given.value)}::${type}`;
  }
  const column = findColumn(source, fact);
  if (!column) return `null::${type}`;
  const value = `old.${pg.escapeIdentifier(column.name)}`;
  if (type === 'jsonb') return readJson(value, column.type);
  if (type === 'timestamptz') return readTime(value, column.type, source.timeZone);
  if (type === 'text') return `${value}::text`;
  return `case when ${value} ${integers[type]} then ${value}::${type} end`;
}

function readTime(value: string, type: string, timeZone: string): string {
  if (type === 'timestamp with time zone') return value;
  return `${value}::timestamp at time zone ${pg.escapeLiteral(timeZone)}`;
}

/** jsonb rejects some JSON, such as an escaped NUL: it is kept as text. */
function readJson(value: string, type: string): string {
  if (type === 'jsonb') return value;
  if (type === 'bytea') return `to_jsonb(translate(encode(${value}, 'base64'), E'\\n', ''))`;
  return `case when pg_input_is_valid(${value}::text, 'jsonb') then ${value}::text::jsonb else to_jsonb(${value}::text) end`;
}

/** SQL for the exact bytes of the message, null if the payload has them as PostgreSQL prints it, and for its encoding. */
export function readMessage(source: Source): { readonly body: string; readonly encoding: string } {
  const column = findColumn(source, 'payload');
  const value = column ? `old.${pg.escapeIdentifier(column.name)}` : '';
  if (column?.type === 'bytea')
    return { body: value, encoding: `case when ${value} is null then 'none' else 'base64' end` };
  if (!column || column.type === 'jsonb') return { body: 'null::bytea', encoding: `'json'` };
  const text = `${value}::text`;
  const isJson = `pg_input_is_valid(${text}, 'jsonb')`;
  const bytes = `convert_to(${text}, 'UTF8')`;
  const encoding = `case ${isJson} when true then 'json' when false then 'text' else`;
  if (column.type !== 'json') return { body: bytes, encoding: `${encoding} 'none' end` };
  // A json column keeps its text, with blanks, order, repeated keys and digits, which jsonb does not.
  const body = `case when ${isJson} then case when ${text} <> (${text}::jsonb)::text then ${bytes} end end`;
  return { body, encoding: `${encoding} 'json' end` };
}
