import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { count, described, listOf, text, textOrNull } from '../events/response-values.ts';
import type { Selection } from './estimate-selection.ts';

/** The largest groups of selected events, by type, status or error. An error group has the error of its first event. */
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

const maxGroups = 20;

type SelectedError = Group['largest'][number] & { readonly groups: number };

const listSelectedErrors = filteredStatement<
  { lanes: readonly string[]; includeSucceeded: boolean; includeDiscarded: boolean; max: number },
  SelectedError
>('list-selected-errors', import.meta.url);

/** Counts the events of a selection by error group. */
export async function groupByError(
  db: Database,
  { filter, includeSucceeded, includeDiscarded }: Selection,
  lanes: readonly string[],
): Promise<Group> {
  const params = { lanes, includeSucceeded, includeDiscarded, max: maxGroups };
  const errors = await listSelectedErrors(db, filter, params);
  return {
    count: errors[0]?.groups ?? 0,
    largest: errors.map(({ groups: _, ...group }) => group),
  };
}

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
