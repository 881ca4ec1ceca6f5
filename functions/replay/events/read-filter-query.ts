import { InputError, type Problem } from '../../../shared/errors.ts';
import type { Filter } from '../../../shared/filter/filter-schema.ts';
import { parseFilterText } from '../../../shared/filter/parse-filter-text.ts';
import { readFilter } from '../../../shared/filter/read-filter.ts';

/** A filter in the query of a URL: as JSON or as text, and without either every event. Throws InputError. */
export function readFilterQuery(
  given: { readonly filter?: string | undefined; readonly q?: string | undefined },
  now: Date,
): Filter {
  const { filter, q } = given;
  if (filter !== undefined && q !== undefined)
    refuse([{ field: 'q', value: q, remedy: 'Give either filter or q.' }]);
  const read = readFilter(q === undefined ? parseJson(filter ?? '{}') : parseText(q), {
    now,
    at: q === undefined ? 'filter' : 'q',
  });
  return read.ok ? read.value : refuse(read.problems);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse([
      {
        field: 'filter',
        value: text,
        remedy: `Must be JSON. ${error instanceof Error ? error.message : ''}`,
      },
    ]);
  }
}

function parseText(text: string): Filter {
  const parsed = parseFilterText(text);
  if (parsed.ok) return parsed.value;
  const problems = parsed.problems.map(({ from, to, remedy }) => {
    const place = from === to ? `Before character ${from + 1}` : `Characters ${from + 1} to ${to}`;
    return { field: 'q', value: text.slice(from, to), remedy: `${place}: ${remedy}` };
  });
  return refuse(problems);
}

function refuse(problems: readonly Problem[]): never {
  throw new InputError(problems);
}
