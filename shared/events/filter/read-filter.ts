import { type Checked, check, reject, unwrap } from '../../config/validate.ts';
import { InputError } from '../../errors.ts';
import { freezeFilter } from './filter-condition.ts';
import { type Filter, FilterSchema } from './filter-schema.ts';
import { parseFilterText } from './parse-filter-text.ts';

/** Validates a filter, no list, which valibot would take, and makes its times absolute. `at`: its field. */
export function readFilter(
  input: unknown,
  { now, at }: { readonly now: Date; readonly at: string },
): Checked<Filter> {
  if (Array.isArray(input)) return reject(at, input, `${FilterSchema.message}`);
  const checked = check(FilterSchema, input, at);
  // Again: only absolute times show whether a relative one is later than its counterpart.
  return checked.ok ? check(FilterSchema, freezeFilter(checked.value, now), at) : checked;
}

/** The filter of a text, such as `q` of a URL; an empty one matches every event. Throws InputError. */
export function readFilterText(text: string, now: Date): Filter {
  const parsed = parseFilterText(text);
  if (parsed.ok) return unwrap(readFilter(parsed.value, { now, at: 'q' }));
  throw new InputError(parsed.problems.map(({ text: value, remedy }) => ({ field: 'q', value, remedy })));
}
