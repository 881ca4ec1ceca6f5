import { InputError, type Problem } from '../../errors.ts';
import type { Filter } from './filter-schema.ts';
import { parseFilterText } from './parse-filter-text.ts';
import { readFilter } from './read-filter.ts';

/**
 * The filter in the query of a URL, as JSON or as text; without either it matches every event. Throws
 * InputError.
 */
export function readFilterQuery(
  query: { readonly filter?: string | undefined; readonly q?: string | undefined },
  now: Date,
): Filter {
  const { filter, q } = query;
  if (filter !== undefined && q !== undefined)
    reject([{ field: 'q', value: q, remedy: 'Give either filter or q.' }]);
  const read = readFilter(q === undefined ? parseJson(filter ?? '{}') : parseText(q), {
    now,
    at: q === undefined ? 'filter' : 'q',
  });
  return read.ok ? read.value : reject(read.problems);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    return reject([{ field: 'filter', value: text, remedy: `Must be JSON. ${reason}` }]);
  }
}

function parseText(text: string): Filter {
  const parsed = parseFilterText(text);
  if (parsed.ok) return parsed.value;
  const problems = parsed.problems.map(({ from, to, remedy }) => {
    const span = from === to ? `Before character ${from + 1}` : `Characters ${from + 1} to ${to}`;
    return { field: 'q', value: text.slice(from, to), remedy: `${span}: ${remedy}` };
  });
  return reject(problems);
}

function reject(problems: readonly Problem[]): never {
  throw new InputError(problems);
}
