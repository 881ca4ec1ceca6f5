import pg from 'pg';
import { findColumn, readValue, type Source } from './read-facts.ts';
import { isUnfit, strictFacts } from './unfit-values.ts';

/** Facts of all rows of a table, read once. */
export type Contents = {
  readonly rows: number;
  readonly words: readonly { readonly word: string; readonly rows: number }[];
  /** Columns of dlq_events that may not be null, with the number of rows in which they are. */
  readonly nulls: Readonly<Record<string, number>>;
  /** Columns of dlq_events that reject some values, with the number of rows that have such a value. */
  readonly unfit: Readonly<Record<string, number>>;
};

const required = [
  'event_type payload error_reason status retry_count retry_after created_at updated_at',
  'headers failure_count priority source_kind first_failure_at last_failure_at',
].flatMap((names) => names.split(' '));

/** The columns of a source that may be null, and in dlq_events may not. */
export function findNullable(source: Source): string[] {
  return required.filter((fact) => findColumn(source, fact)?.isRequired === false);
}

/** Counts the words for statuses, nulls where dlq_events has none, and values that it rejects. Reads the whole table, and locks nothing. */
export async function readContents(client: pg.Client, table: string, source: Source): Promise<Contents> {
  const status = findColumn(source, 'status');
  const nullable = findNullable(source);
  const strict = strictFacts.filter((fact) => findColumn(source, fact) !== undefined);
  const name = (fact: string) => pg.escapeIdentifier(findColumn(source, fact)?.name ?? fact);
  const counts = [
    ...nullable.map((fact) => [`null_${fact}`, `${name(fact)} is null`]),
    ...strict.map((fact) => [`unfit_${fact}`, isUnfit(fact, readValue(source, fact))]),
  ].map(([column, condition]) => `count(*) filter (where ${condition})::float8 as ${column}`);
  const word = status ? `${name('status')}::text` : 'null::text';
  const { rows } = await client.query<{ word: string | null; rows: number } & Record<string, number>>(
    `select ${[`${word} as word`, 'count(*)::float8 as rows', ...counts].join(', ')} from ${table} as old group by 1 order by 2 desc`,
  );
  const sum = (column: string) => rows.reduce((total, row) => total + (row[column] ?? 0), 0);
  return {
    rows: sum('rows'),
    words: rows.flatMap(({ word: found, rows: count }) =>
      found === null ? [] : [{ word: found, rows: count }],
    ),
    nulls: Object.fromEntries(nullable.map((fact) => [fact, sum(`null_${fact}`)])),
    unfit: Object.fromEntries(strict.map((fact) => [fact, sum(`unfit_${fact}`)])),
  };
}
