import type * as v from 'valibot';
import { InputError } from '../../../shared/errors.ts';
import { check } from '../../../shared/validate.ts';

/** The parameters of a query, checked. Throws InputError with all that is wrong; one that is given twice is wrong. */
export function readQuery<Schema extends v.GenericSchema>(
  schema: Schema,
  query: URLSearchParams,
): v.InferOutput<Schema> {
  const twice = [...new Set(query.keys())].filter((name) => query.getAll(name).length > 1);
  const checked = check(schema, Object.fromEntries(query));
  const repeated = twice.map((field) => ({ field, value: query.getAll(field), remedy: 'Give it once.' }));
  if (!checked.ok) throw new InputError([...repeated, ...checked.problems]);
  if (repeated.length > 0) throw new InputError(repeated);
  return checked.value;
}
