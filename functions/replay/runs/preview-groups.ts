import type { Database } from '../../../shared/database.ts';
import { filteredStatement } from '../../../shared/filtered-statement.ts';
import type { Choice } from './survey-selection.ts';

type Summed = {
  readonly dimension: 'eventType' | 'status' | 'errorGroup';
  /** Null of events without an error group. */
  readonly value: string | null;
  readonly events: number;
  readonly error_class: string | null;
  readonly error_reason: string;
  readonly groups: number;
};

const sumSelection = filteredStatement<
  { lanes: readonly string[]; includeSucceeded: boolean; includeDiscarded: boolean; most: number },
  Summed
>('sum-selection');

/** The largest groups of a kind, and how many there are. An error group comes with an example of its error. */
export type Group = {
  readonly count: number;
  readonly largest: readonly {
    readonly value: string | null;
    readonly events: number;
    readonly errorClass?: string | null;
    readonly errorReason?: string;
  }[];
};

const mostGroups = 20;

/** How the events of a choice divide into types, statuses and error groups. */
export async function listGroups(
  db: Database,
  { filter, includeSucceeded, includeDiscarded }: Choice,
  lanes: readonly string[],
): Promise<{ eventTypes: Group; statuses: Group; errorGroups: Group }> {
  const rows = await sumSelection(db, filter, {
    lanes,
    includeSucceeded,
    includeDiscarded,
    most: mostGroups,
  });
  const collect = (dimension: Summed['dimension']): Group => {
    const largest = rows.filter((row) => row.dimension === dimension);
    return { count: largest[0]?.groups ?? 0, largest: largest.map(describeGroup) };
  };
  return {
    eventTypes: collect('eventType'),
    statuses: collect('status'),
    errorGroups: collect('errorGroup'),
  };
}

function describeGroup({ dimension, value, events, error_class, error_reason }: Summed) {
  if (dimension !== 'errorGroup') return { value, events };
  return { value, events, errorClass: error_class, errorReason: error_reason };
}
