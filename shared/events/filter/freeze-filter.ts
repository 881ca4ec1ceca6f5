import { filterFields } from './filter-fields.ts';
import type { Filter } from './filter-schema.ts';
import { resolveDueTime, resolveTime } from './filter-time.ts';

/**
 * The filter with its relative times made absolute, counted back from `now`, so that it keeps its meaning.
 */
export function freezeFilter(filter: Filter, now: Date): Filter {
  const frozen = Object.entries(filter).map(([name, value]) => {
    const { kind } = filterFields[name as keyof Filter];
    if (kind === 'due after' || kind === 'due before') return [name, resolveDueTime(value as string, now)];
    const isTime = kind === 'after' || kind === 'before';
    return [name, isTime ? resolveTime(value as string, now) : value];
  });
  return Object.fromEntries(frozen);
}
