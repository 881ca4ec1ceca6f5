import { readFile } from 'node:fs/promises';
import pg from 'pg';

/**
 * Describes the public schema of a database as SQL, to read and to compare: the same text for the same schema
 * on any server. Omits the rights of owners and objects that PostgreSQL creates by itself.
 */
export async function describeSchema(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // PostgreSQL prints names on the search path without their schema.
    await client.query('set search_path = public');
    const read = async <Row extends pg.QueryResultRow = Line>(...names: string[]): Promise<Row[]> => {
      const rows: Row[] = [];
      for (const name of names) rows.push(...(await client.query<Row>(await readQuery(name))).rows);
      return rows;
    };
    const members = await read('columns', 'constraints');
    const relations = await read<Relation>('relations');
    const parts = relations.map((relation) => describeRelation(relation, members));
    parts.push(...(await read('functions')));
    const additions = await read('indexes', 'triggers', 'comments', 'grants');
    const texts = parts.map(({ about, line }) => [line, ...linesAbout(about, additions)].join('\n'));
    return showControlCharacters(`${texts.join('\n\n')}\n`);
  } finally {
    await client.end();
  }
}

/** A line of SQL about a relation or a function. */
type Line = { readonly about: string; readonly line: string };

/** `source` is the parent of a partition or the query of a view; null for a table with columns of its own. */
type Relation = {
  readonly about: string;
  readonly kind: string;
  readonly source: string | null;
  readonly settings: string;
};

function readQuery(name: string): Promise<string> {
  return readFile(new URL(`catalog/${name}.sql`, import.meta.url), 'utf8');
}

function describeRelation({ about, kind, source, settings }: Relation, members: readonly Line[]): Line {
  const body = source ?? `(\n  ${linesAbout(about, members).join(',\n  ')}\n)`;
  return { about, line: `CREATE ${kind} ${about} ${body}${settings};` };
}

function linesAbout(name: string, lines: readonly Line[]): string[] {
  return lines.filter(({ about }) => about === name).map(({ line }) => line);
}

function showControlCharacters(text: string): string {
  return text.replaceAll(
    /(?!\n)\p{Cc}/gu,
    (character) => String.raw`\x${character.charCodeAt(0).toString(16)}`,
  );
}
