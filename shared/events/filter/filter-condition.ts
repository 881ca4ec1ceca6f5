import { fieldsIn } from './filter-fields.ts';
import type { Filter } from './filter-schema.ts';

/**
 * Translates a filter to a condition on `dlq_events as event`, with the values of its placeholders in order.
 * Every part of the filter becomes such a value, never text. `first` is the number of the first placeholder;
 * relative times count back from `now`.
 */
export function toCondition(filter: Filter, { now, first }: { readonly now: Date; readonly first: number }) {
  const values: unknown[] = [];
  const put = (value: unknown) => `$${first + values.push(value) - 1}`;
  const parts = fieldsIn(filter).map(({ name, kind, sql }) => kind.compare(sql, filter[name], { put, now }));
  return { text: parts.join(' and ') || 'true', values };
}

/**
 * The filter with its relative times made absolute, counted back from `now`, so that it keeps its meaning.
 */
export function freezeFilter(filter: Filter, now: Date): Filter {
  const frozen = fieldsIn(filter).map(({ name, kind }) => {
    return [name, kind.freeze ? kind.freeze(filter[name], now) : filter[name]];
  });
  return Object.fromEntries(frozen);
}
