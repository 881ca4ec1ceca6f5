import pg from 'pg';
import { countRows, rowsHave } from './count-rows.ts';
import { facts } from './facts.ts';
import { findUnreadable } from './find-unreadable.ts';
import { composeInsert } from './insert-rows.ts';
import { inspectTable, type Table } from './inspect-table.ts';
import type { Mapping } from './mapping.ts';
import { readContents } from './read-contents.ts';
import { findColumn, type Source } from './read-facts.ts';
import { readWords } from './words.ts';

const pageSize = 2000;

type Flags = { readonly from: string; readonly isDryRun: boolean; readonly timeZone: string | undefined };

/**
 * Imports the rows of another table as events, in pages of 2,000, and leaves it as it is. A row is imported once: its key names
 * the event. Prints the result with `say`, and returns the exit code.
 */
export async function importTable(
  client: pg.Client,
  flags: Flags,
  mapping: Mapping,
  say: (line: string) => void,
): Promise<number> {
  const table = await inspectTable(client, flags.from);
  const zone = await client.query<{ zone: string }>(`select current_setting('TimeZone') as zone`);
  const source = {
    columns: table?.columns ?? [],
    mapping,
    timeZone: zone.rows[0]?.zone ?? 'UTC',
    isImport: true,
  };
  const key = mapping.key ?? findKey(table);
  const problems = table
    ? [
        ...findOwn(table),
        ...(await findProblems(client, source, key)),
        ...(await findAmbiguous(client, flags.from, source, mapping.key)),
        ...(await findUnknownWords(client, flags.from, source)),
      ]
    : [`There is no table ${flags.from}.`];
  if (problems.length > 0 || !key || !table) {
    for (const line of ['Resolve first:', ...problems.map((text) => `  ${text}`), 'Nothing was changed.'])
      say(line);
    return 1;
  }
  for (const line of describeMapping(source)) say(line);
  if (flags.isDryRun) {
    const { rows } = await client.query<{ rows: number }>(
      `select count(*)::float8 as rows from ${flags.from}`,
    );
    const count = countRows(rows[0]?.rows ?? 0);
    say(`${flags.from} has ${count}; those that were imported before would be skipped. Nothing was changed.`);
    return 0;
  }
  const events = await importPages(client, table, source, key);
  say(
    `Imported ${countRows(events)} of ${flags.from}, which is as it was. The same command imports rows that are added later.`,
  );
  return 0;
}

/** An import of dlq_events would never end: each event would be a row to import. */
function findOwn({ schema, name }: Table): string[] {
  if (schema !== 'public' || !/^dlq_events(_archive.*)?$/.test(name)) return [];
  return [
    `${name} is a table of this product: --from takes a table of another one. POST /events/restore restores archived events.`,
  ];
}

/** The only column of a unique index over columns that are never null. */
function findKey(table: Table | undefined): string | undefined {
  const unique =
    table?.indexes.filter(
      ({ isUnique, isPlain, columns: [name, ...more] }) =>
        isUnique &&
        isPlain &&
        more.length === 0 &&
        table.columns.some((column) => column.name === name && column.isRequired),
    ) ?? [];
  return (unique.find(({ isPrimary }) => isPrimary) ?? unique[0])?.columns[0];
}

async function findProblems(client: pg.Client, source: Source, key: string | undefined): Promise<string[]> {
  const { columns, mapping } = source;
  const { rows } = await client.query<{ isOurs: boolean }>(
    `select exists (select from pg_attribute where attrelid = to_regclass('public.dlq_events') and attname = 'event_key') as "isOurs"`,
  );
  return [
    ...(rows[0]?.isOurs
      ? []
      : ['The database has no dlq_events of this product: run npm run migrate first.']),
    ...(key === undefined
      ? ['No single column identifies a row: name one with --map FILE, {"key": "..."}.']
      : []),
    ...(key === undefined || columns.some(({ name }) => name === key)
      ? []
      : [`The table has no column ${key}, which the mapping names as the key.`]),
    ...findUnreadable(source),
    ...(findColumn(source, 'payload') || mapping.columns.payload
      ? []
      : ['No column is known to be the payload: name it with --map FILE, {"columns": {"payload": "..."}}.']),
  ];
}

/** A key of the mapping file need not have a unique index. */
async function findAmbiguous(
  client: pg.Client,
  table: string,
  { columns }: Source,
  key: string | undefined,
): Promise<string[]> {
  if (key === undefined || !columns.some(({ name }) => name === key)) return [];
  const { rows } = await client.query<{ ambiguous: number }>(
    `select (count(*) - count(distinct ${pg.escapeIdentifier(key)}))::float8 as ambiguous from ${table}`,
  );
  const ambiguous = rows[0]?.ambiguous ?? 0;
  if (ambiguous === 0) return [];
  return [
    `${rowsHave(ambiguous)} no ${key}, or that of another row, and would not be imported: name a key that is unique, or import a view that has one.`,
  ];
}

async function findUnknownWords(client: pg.Client, table: string, source: Source): Promise<string[]> {
  const { words } = await readContents(client, table, source);
  const known = readWords(source.mapping.status);
  return words
    .filter(({ word }) => !known[word.toLowerCase()])
    .map(
      ({ word, rows }) =>
        `${rowsHave(rows)} the status ${JSON.stringify(word)}, which is unknown: --map FILE with {"status": {${JSON.stringify(word)}: "PENDING"}}.`,
    );
}

function describeMapping(source: Source): string[] {
  const pairs = Object.keys(facts).flatMap((fact) => {
    const given = source.mapping.columns[fact];
    if (typeof given === 'object') return [`${fact} as ${JSON.stringify(given.value)}`];
    const column = findColumn(source, fact);
    return column ? [`${fact} from ${column.name}`] : [];
  });
  return [`Reads ${pairs.join(', ')}.`];
}

type Page = { readonly last: string | null; readonly events: number };

/** Columns that no fact is read from are kept in the metadata. */
async function importPages(client: pg.Client, table: Table, source: Source, key: string): Promise<number> {
  const column = pg.escapeIdentifier(key);
  const read = Object.keys(facts).flatMap((fact) => findColumn(source, fact)?.name ?? []);
  const { statement } = composeInsert({
    ...source,
    from: 'page',
    into: 'public.dlq_events',
    eventKey: `${pg.escapeLiteral(`import:${table.schema}.${table.name}:`)} || old.${column}::text`,
    more: {},
    computed: {},
    rest: `to_jsonb(old) - ${pg.escapeLiteral(`{${read.map((name) => JSON.stringify(name)).join(',')}}`)}::text[]`,
    where: '',
  });
  // With the length: character alone is character(1).
  const type = source.columns.find(({ name }) => name === key)?.definition;
  const name = `${pg.escapeIdentifier(table.schema)}.${pg.escapeIdentifier(table.name)}`;
  const page = `
    with page as materialized (
      select * from ${name}
      where ($1::text is null or ${column} > $1::text::${type}) and ${column} <= $2::text::${type}
      order by ${column}
      limit ${pageSize}
    ),
    inserted as (${statement} on conflict (event_key) do nothing returning id)
    select (select ${column}::text from page order by ${column} desc limit 1) as last,
      (select count(*)::int from inserted) as events`;
  let events = 0;
  // Rows that are added during the import belong to the next one: a view of dlq_events would have more and more.
  const end = await client.query<{ last: string | null }>(
    `select (select ${column}::text from ${name} where ${column} is not null order by ${column} desc limit 1) as last`,
  );
  for (let last: string | null = null; ; ) {
    const { rows }: pg.QueryResult<Page> = await client.query<Page>(page, [last, end.rows[0]?.last]);
    events += rows[0]?.events ?? 0;
    last = rows[0]?.last ?? null;
    if (last === null) return events;
  }
}
