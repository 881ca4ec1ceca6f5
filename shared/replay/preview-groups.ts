import type { Database } from '../database/database.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import type { Selection } from './estimate-selection.ts';

/** The largest groups, and how many there are in total. An error group has the error of its first event. */
export type Group = {
  readonly count: number;
  readonly largest: readonly {
    /** Null for events without an error group. */
    readonly value: string | null;
    readonly events: number;
    readonly errorClass?: string | null;
    readonly errorReason?: string;
  }[];
};

const maxGroups = 20;

type SelectedError = {
  readonly value: string | null;
  readonly events: number;
  readonly errorClass: string | null;
  readonly errorReason: string;
  readonly groups: number;
};

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
    largest: errors.map(({ value, events, errorClass, errorReason }) => ({
      value,
      events,
      errorClass,
      errorReason,
    })),
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
