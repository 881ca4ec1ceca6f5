import type { Database } from '../../../shared/database.ts';
import { filteredStatement } from '../../../shared/filtered-statement.ts';
import type { Choice } from './survey-selection.ts';

/** The largest groups of a kind, and how many there are. An error group comes with the error of its first event. */
export type Group = {
  readonly count: number;
  readonly largest: readonly {
    /** Null of events without an error group. */
    readonly value: string | null;
    readonly events: number;
    readonly errorClass?: string | null;
    readonly errorReason?: string;
  }[];
};

const mostGroups = 20;

type SelectedError = {
  readonly value: string | null;
  readonly events: number;
  readonly error_class: string | null;
  readonly error_reason: string;
  readonly groups: number;
};

const listSelectedErrors = filteredStatement<
  { lanes: readonly string[]; includeSucceeded: boolean; includeDiscarded: boolean; most: number },
  SelectedError
>('list-selected-errors');

/** How the events of a choice divide into error groups. */
export async function groupByError(
  db: Database,
  { filter, includeSucceeded, includeDiscarded }: Choice,
  lanes: readonly string[],
): Promise<Group> {
  const params = { lanes, includeSucceeded, includeDiscarded, most: mostGroups };
  const errors = await listSelectedErrors(db, filter, params);
  return {
    count: errors[0]?.groups ?? 0,
    largest: errors.map(({ value, events, error_class, error_reason }) => ({
      value,
      events,
      errorClass: error_class,
      errorReason: error_reason,
    })),
  };
}

/** How events divide by something that a survey has counted. */
export function groupBy<Part extends { readonly events: number }>(
  parts: readonly Part[],
  of: (part: Part) => string,
): Group {
  const sums = new Map<string, number>();
  for (const part of parts) sums.set(of(part), (sums.get(of(part)) ?? 0) + part.events);
  const groups = [...sums].map(([value, events]) => ({ value, events }));
  groups.sort((a, b) => b.events - a.events || (a.value < b.value ? -1 : 1));
  return { count: groups.length, largest: groups.slice(0, mostGroups) };
}
