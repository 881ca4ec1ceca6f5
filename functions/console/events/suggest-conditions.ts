import { filterFields } from '../../../shared/events/filter/filter-fields.ts';
import type { KnownValues } from '../../../shared/events/known-values.ts';

/** Conditions to complete what is typed: common ones, those of known values, and the words of all others. */
export function suggestConditions(known: KnownValues): string[] {
  const conditions = (word: string, values: readonly string[]) =>
    values.map((value) => `${word}:${/[\s",]/.test(value) ? JSON.stringify(value) : value}`);
  const words = Object.values(filterFields).map(({ word }) => `${word}:`);
  return [
    ...new Set([
      ...conditions('status', ['open', 'failed', 'pending', 'processing', 'succeeded', 'discarded']),
      ...conditions('failed', ['>1h', '>24h', '>7d', 'today', 'yesterday']),
      ...conditions('due', ['now', '<1h']),
      ...conditions('type', known.eventTypes),
      ...conditions('class', known.errorClasses),
      ...conditions('group', known.consumerGroups),
      ...conditions('subscription', known.subscriptions),
      ...words,
    ]),
  ];
}
