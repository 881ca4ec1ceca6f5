import type { Database } from '../database/database.ts';
import type { Filter } from '../events/filter/filter-schema.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import type { SelectionEstimate } from './estimate-selection.ts';

type Selected = {
  readonly includeSucceeded: boolean;
  readonly includeDiscarded: boolean;
  readonly excludedLanes: readonly string[];
};

const listIds = filteredStatement<
  Selected & { from: string; upTo: string; max: number },
  { readonly id: string }
>('list-first-selected', import.meta.url);

/**
 * Lists the ids of the first `max` events of a selection that has some. They are looked for where twice as
 * many are if the events are spread evenly over their ids, and among all of them if there are too few.
 */
export async function listFirstSelected(
  db: Database,
  selection: Omit<Selected, 'excludedLanes'> & { readonly filter: Filter },
  { estimate, max }: { readonly estimate: SelectionEstimate; readonly max: number },
): Promise<readonly string[]> {
  const { parts, selected, unrouted: excludedLanes } = estimate;
  const { filter, includeSucceeded, includeDiscarded } = selection;
  const from = parts.map(({ firstId }) => BigInt(firstId)).reduce((a, b) => (a < b ? a : b));
  const last = parts.map(({ lastId }) => BigInt(lastId)).reduce((a, b) => (a > b ? a : b));
  const list = async (upTo: bigint) => {
    const range = { from: `${from}`, upTo: `${upTo}`, max };
    const rows = await listIds(db, filter, { includeSucceeded, includeDiscarded, excludedLanes, ...range });
    return rows.map(({ id }) => id);
  };
  const likely = from + ((last - from) * BigInt(2 * max)) / BigInt(selected);
  const first = likely < last ? await list(likely) : [];
  return first.length < max ? list(last) : first;
}
