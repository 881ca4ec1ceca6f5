import type * as v from 'valibot';
import type { ReadResult } from './text-values.ts';

/** The placeholder of each bind value, and the time from which relative times count. */
export type SqlContext = { readonly put: (value: unknown) => string; readonly now: Date };

/** A kind of comparison: the values that it accepts, as JSON, as SQL and as text. */
export type FilterKind<Name extends string = string, Schema extends v.GenericSchema = v.GenericSchema> = {
  readonly name: Name;
  readonly schema: Schema;
  /** Its values, in the words of docs/filter.md. */
  readonly values: string;
  /** When a field of it holds, with `{}` for the words of the field; by default these alone. */
  readonly says?: string;
  /** As text, a field has one value, several values, or a lower and an upper bound. */
  readonly takes: 'one' | 'many' | 'bounds';
  /** The comparison of these columns or expressions. Every value becomes a placeholder, never text. */
  compare(sql: readonly [string, ...string[]], value: v.InferOutput<Schema>, context: SqlContext): string;
  /** Reads the values behind the word of a field. */
  read(text: string): ReadResult[];
  /** The values as they follow the word of a field. */
  print(value: v.InferOutput<Schema>): string[];
  /** The value with its meaning at `now`; by default it means the same at any time. */
  freeze?(value: v.InferOutput<Schema>, now: Date): v.InferOutput<Schema>;
};

/**
 * How a search finds the events of a field.
 * - index: an index has them.
 * - column: it compares each event; the statistics of the planner have the number of matches.
 * - scan: it compares each event, and the planner has to guess the number of matches.
 */
type Cost = 'index' | 'column' | 'scan';

/** The columns of `dlq_events as event`, or expressions over them, and the cost of a search by them. */
export type FieldSource = { readonly sql: readonly [string, ...string[]]; readonly cost: Cost };

const sourceOf =
  (cost: Cost) =>
  (...sql: [string, ...string[]]): FieldSource => ({ sql, cost });
export const index = sourceOf('index');
export const column = sourceOf('column');
export const scan = sourceOf('scan');

/**
 * Makes a kind of fields. A field of it has a source, an example as text, which begins with its word, and the
 * words that describe it.
 */
export function defineKind<const Name extends string, Schema extends v.GenericSchema>(
  kind: FilterKind<Name, Schema>,
) {
  return (source: FieldSource, example: string, about: string) => {
    const [word = ''] = example.split(':');
    return { ...source, kind, word, example, description: (kind.says ?? '{}').replace('{}', about) };
  };
}
