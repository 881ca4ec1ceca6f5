import { type Checked, check } from '../validate.ts';
import { type Filter, FilterSchema } from './filter-schema.ts';
import { freezeFilter } from './freeze-filter.ts';

/** A filter as a person gave it, checked, with its times made absolute. `at` names where it came from. */
export function readFilter(
  input: unknown,
  { now, at }: { readonly now: Date; readonly at: string },
): Checked<Filter> {
  const checked = check(FilterSchema, input, at);
  // Once more, because only now it is seen whether a relative time is later than an absolute one.
  return checked.ok ? check(FilterSchema, freezeFilter(checked.value, now), at) : checked;
}
