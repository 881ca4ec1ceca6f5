import pg from 'pg';
import { findColumn, type Source } from './read-facts.ts';

/** Facts of all rows of a table, read once. */
export type Contents = {
  readonly rows: number;
  readonly words: readonly { readonly word: string; readonly rows: number }[];
  /** Columns of dlq_events that may not be null, with the number of rows in which they are. */
  readonly nulls: Readonly<Record<string, number>>;
};

const required = 'event_type payload error_reason status retry_count retry_after created_at updated_at'.split(
  ' ',
);

/** The columns of a source that may be null, and in dlq_events may not. */
export function findNullable(source: Source): string[] {
  return required.filter((fact) => findColumn(source, fact)?.isRequired === false);
}

/** Counts the words for statuses, and nulls where dlq_events has none. Reads the whole table, and locks nothing. */
export async function readContents(client: pg.Client, table: string, source: Source): Promise<Contents> {
  const status = findColumn(source, 'status');
  const nullable = findNullable(source);
  const counts = nullable.map((fact, index) => {
    const column = pg.escapeIdentifier(findColumn(source, fact)?.name ?? fact);
    return `count(*) filter (where ${column} is null)::float8 as null_${index}`;
  });
  const word = status ? `${pg.escapeIdentifier(status.name)}::text` : 'null::text';
  const { rows } = await client.query<{ word: string | null; rows: number } & Record<string, number>>(
    `select ${[`${word} as word`, 'count(*)::float8 as rows', ...counts].join(', ')} from ${table} group by 1 order by 2 desc`,
  );
  return {
    rows: rows.reduce((sum, row) => sum + row.rows, 0),
    words: rows.flatMap(({ word: found, rows: count }) =>
      found === null ? [] : [{ word: found, rows: count }],
    ),
    nulls: Object.fromEntries(
      nullable.map((fact, index) => [fact, rows.reduce((sum, row) => sum + (row[`null_${index}`] ?? 0), 0)]),
    ),
  };
}
