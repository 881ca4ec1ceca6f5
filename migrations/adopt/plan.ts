import { createHash } from 'node:crypto';
import type pg from 'pg';
import { rowsHave } from './count-rows.ts';
import { findObstacles } from './find-obstacles.ts';
import { findWarnings, type Warning } from './find-warnings.ts';
import { findServerObstacles, inspectServer, type Server } from './inspect-server.ts';
import { inspectTable, type Table } from './inspect-table.ts';
import type { Mapping } from './mapping.ts';
import { type Contents, readContents } from './read-contents.ts';
import type { Source } from './read-facts.ts';
import { readWords } from './words.ts';

/** A table whose place one of this product takes. */
export type Adopted = { readonly table: Table; readonly source: Source; readonly digest: string };

export type Plan = {
  readonly tables: readonly Adopted[];
  /** In the order of the tables; empty if an obstacle is known without reading them. */
  readonly contents: readonly Contents[];
  readonly server: Server;
  /** Reasons against the adoption, each with a remedy. */
  readonly obstacles: readonly string[];
  /** The changes that clients may notice. */
  readonly warnings: readonly Warning[];
};

/** Tables that have the name of one of this product, and the form that the articles describe. */
const names = ['dlq_events', 'dlq_events_archive'];

/** Inspects the tables, and lists everything that stands in the way or changes. Changes nothing. */
export async function makePlan(client: pg.Client, mapping: Mapping, timeZone?: string): Promise<Plan> {
  const server = await inspectServer(client, names);
  const tables: Adopted[] = [];
  for (const name of names) {
    const table = await inspectTable(client, `public.${name}`);
    if (!table) continue;
    const { columns } = table;
    const source = { columns, mapping, timeZone: timeZone ?? server.timeZone, isImport: false };
    tables.push({ table, source, digest: digest(table) });
  }
  const found = tables.flatMap(({ table, source }) => findObstacles(table, source));
  if (found.length > 0) {
    const obstacles = [...findServerObstacles(server), ...found];
    return { tables, server, obstacles, warnings: [], contents: [] };
  }
  const contents: Contents[] = [];
  for (const { table, source } of tables)
    contents.push(await readContents(client, `public.${table.name}`, source));
  const warnings = tables.flatMap(({ table, source }, index) =>
    findWarnings(table, source, contents[index] as Contents),
  );
  return {
    tables,
    server,
    contents,
    obstacles: [
      ...findServerObstacles(server),
      ...contents.flatMap((each) => findUnknownWords(each, mapping)),
    ],
    warnings: [...warnings, ...findServerWarnings(server)],
  };
}

function findUnknownWords({ words }: Contents, mapping: Mapping): string[] {
  const known = readWords(mapping.status);
  return words
    .filter(({ word }) => !known[word.toLowerCase()])
    .map(
      ({ word, rows }) =>
        `${rowsHave(rows)} the status ${JSON.stringify(word)}, which is unknown. Name the status that it stands for: --map FILE with {"status": {${JSON.stringify(word)}: "PENDING"}}.`,
    );
}

function findServerWarnings({ everyoneCreates, eventTriggers }: Server): Warning[] {
  return [
    ...(everyoneCreates
      ? [
          {
            name: 'schema-rights',
            text: 'PUBLIC loses the right to create objects in the schema public: a login that needs it has to be granted CREATE.',
          },
        ]
      : []),
    ...eventTriggers.map((name) => ({
      name: 'event-triggers',
      text: `Event trigger ${name} may run for objects that the adoption creates, renames and removes. If it rejects one, the adoption stops until the trigger is disabled.`,
    })),
  ];
}

/** A digest of everything that is carried over: it differs if a table was changed since. */
export function digest({ bytes, estimatedRows, oid, isOwned, ...table }: Table): string {
  return createHash('sha256').update(JSON.stringify(table)).digest('hex');
}
