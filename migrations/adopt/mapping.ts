import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { check } from '../../shared/config/validate.ts';
import { ConfigError } from '../../shared/errors.ts';
import { facts } from './facts.ts';
import { statuses } from './words.ts';

const StatusSchema = v.picklist(statuses, `Use one of ${statuses.join(', ')}.`);
const ColumnSchema = v.union(
  [v.string(), v.strictObject({ value: v.string() })],
  'Use the name of a column, or {"value": "..."} for the same text in every event.',
);

const MappingSchema = v.strictObject({
  key: v.optional(v.string('Use the name of the column that identifies a row.')),
  columns: v.optional(
    v.record(v.picklist(Object.keys(facts), `Use one of ${Object.keys(facts).join(', ')}.`), ColumnSchema),
    {},
  ),
  status: v.optional(v.record(v.string(), StatusSchema), {}),
});

/** The contents of a mapping file: the columns that differ from the known names, and words for statuses. */
export type Mapping = {
  readonly key?: string | undefined;
  readonly columns: Readonly<Record<string, string | { readonly value: string }>>;
  readonly status: Readonly<Record<string, string>>;
};

export const noMapping: Mapping = { columns: {}, status: {} };

/** Reads a mapping file. Throws a ConfigError that lists every problem. */
export async function readMapping(file: string): Promise<Mapping> {
  const fail = (remedy: string) => new ConfigError([{ field: '--map', value: file, remedy }]);
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw fail(`The file cannot be read: ${cause.message}`);
  });
  const checked = check(MappingSchema, parse(text, fail), '--map');
  if (!checked.ok) throw new ConfigError(checked.problems);
  return checked.value;
}

function parse(text: string, fail: (remedy: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fail(`Must be JSON: ${(cause as Error).message}`);
  }
}
