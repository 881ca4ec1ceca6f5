import { fieldsIn } from './filter-fields.ts';
import type { Filter } from './filter-schema.ts';

/**
 * The filter as text, such as `type:order.* failed:>24h`, which parseFilterText parses to the same filter.
 */
export function printFilterText(filter: Filter): string {
  return fieldsIn(filter)
    .flatMap(({ name, kind, word }) => kind.print(filter[name]).map((value) => `${word}:${value}`))
    .join(' ');
}
