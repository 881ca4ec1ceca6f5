import * as v from 'valibot';
import { count, described, listOf, text, textOrNull } from '../response-values.ts';

/**
 * The largest groups of selected events, by type, status or error. An error group has the error of one of its
 * events.
 */
export const PreviewGroupSchema = v.strictObject({
  count: described(count, 'The number of all groups.'),
  largest: listOf(
    v.strictObject({
      value: textOrNull,
      events: count,
      errorClass: v.exactOptional(textOrNull),
      errorReason: v.exactOptional(described(text, 'The error of one event.')),
    }),
  ),
});

type Group = v.InferOutput<typeof PreviewGroupSchema>;

/** A group by type, status or error names the largest. */
export const maxGroups = 20;

/** An error group of selected events; `groups`: the number of all. */
export type SelectedError = Group['largest'][number] & { readonly groups: number };

/** Counts the events of an estimate by a property of its parts. */
export function groupBy<Part extends { readonly events: number }>(
  parts: readonly Part[],
  of: (part: Part) => string,
): Group {
  const sums = new Map<string, number>();
  for (const part of parts) sums.set(of(part), (sums.get(of(part)) ?? 0) + part.events);
  const groups = [...sums].map(([value, events]) => ({ value, events }));
  groups.sort((a, b) => b.events - a.events || (a.value < b.value ? -1 : 1));
  return { count: groups.length, largest: groups.slice(0, maxGroups) };
}
