import { type Checked, check, reject } from '../../config/validate.ts';
import { InputError, type Problem } from '../../errors.ts';
import { freezeFilter } from './filter-condition.ts';
import { type Filter, FilterSchema } from './filter-schema.ts';
import { parseFilterText } from './parse-filter-text.ts';

/** Validates a filter and makes its times absolute. `at` is the name of the field that it came from. */
export function readFilter(
  input: unknown,
  { now, at }: { readonly now: Date; readonly at: string },
): Checked<Filter> {
  // valibot takes a list for an object without fields.
  if (Array.isArray(input))
    return reject(at, input, 'Give the filter as an object: {"eventType": "order.*"}.');
  const checked = check(FilterSchema, input, at);
  // Again: only absolute times show whether a relative one is later than its counterpart.
  return checked.ok ? check(FilterSchema, freezeFilter(checked.value, now), at) : checked;
}

/**
 * The filter in the query of a URL, as JSON or as text; without either it matches every event. Throws
 * InputError.
 */
export function readFilterQuery(
  { filter, q }: { readonly filter?: string | undefined; readonly q?: string | undefined },
  now: Date,
): Filter {
  if (filter !== undefined && q !== undefined)
    throw new InputError([{ field: 'q', value: q, remedy: 'Give either filter or q.' }]);
  const at = q === undefined ? 'filter' : 'q';
  const read = readFilter(q === undefined ? parseJson(filter ?? '{}') : parseText(q), { now, at });
  if (read.ok) return read.value;
  throw new InputError(read.problems);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new InputError([{ field: 'filter', value: text, remedy: `Must be JSON. ${reason}` }]);
  }
}

function parseText(text: string): Filter {
  const parsed = parseFilterText(text);
  if (parsed.ok) return parsed.value;
  const problems = parsed.problems.map(({ from, to, remedy }): Problem => {
    const span = from === to ? `Before character ${from + 1}` : `Characters ${from + 1} to ${to}`;
    return { field: 'q', value: text.slice(from, to), remedy: `${span}: ${remedy}` };
  });
  throw new InputError(problems);
}
