import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { runWithinCost } from '../events/filter/run-within-cost.ts';
import {
  assertSelection,
  type LaneCount,
  type Selection,
  type SelectionEstimate,
  sumLanes,
} from './estimate-selection.ts';
import type { SelectedError } from './preview-groups.ts';
import type { ReplayDeps } from './replay-deps.ts';

/** The events that a run would select: their numbers, the first ones, and their error groups. */
type PreviewedSelection = {
  readonly estimate: SelectionEstimate;
  readonly first: readonly string[];
  readonly errors: readonly SelectedError[];
};

/** Times as PostgreSQL writes them in JSON. */
type LaneCountJson = Omit<LaneCount, 'oldest' | 'newest'> & {
  readonly oldest: string;
  readonly newest: string;
};

type Selected = {
  readonly includeSucceeded: boolean;
  readonly includeDiscarded: boolean;
  readonly excludedLanes: readonly string[];
};

const readSelection = filteredStatement<
  Selected & { maxErrors: number },
  Pick<PreviewedSelection, 'errors'> & { readonly laneCounts: readonly LaneCountJson[] }
>('read-selection', import.meta.url);

const listFirstSelected = filteredStatement<Selected & { maxFirst: number }, { readonly id: string }>(
  'list-first-selected',
  import.meta.url,
);

/** Reads a selection for its preview, with up to `maxFirst` ids and `maxErrors` error groups. Throws what estimateSelection throws. */
export async function previewSelection(
  { db, routes, costLimit }: Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>,
  selection: Selection,
  { maxFirst, maxErrors }: { readonly maxFirst: number; readonly maxErrors: number },
): Promise<PreviewedSelection> {
  await assertSelection({ db, routes }, selection);
  const { filter, includeSucceeded, includeDiscarded } = selection;
  // Two statements at once: together they take less time than one that does both.
  const read = async (excludedLanes: readonly string[]) => {
    const selected = { includeSucceeded, includeDiscarded, excludedLanes };
    const [[row], first] = await Promise.all([
      runWithinCost(db, readSelection, { filter, params: { ...selected, maxErrors }, costLimit }),
      runWithinCost(db, listFirstSelected, { filter, params: { ...selected, maxFirst }, costLimit }),
    ]);
    if (!row) throw new Error('The selection was not returned.');
    return { ...row, laneCounts: row.laneCounts.map(readTimes), first: first.map(({ id }) => id) };
  };
  const { laneCounts, first, errors } = await read([]);
  const estimate = sumLanes(routes, selection, laneCounts);
  const { unrouted } = estimate;
  // Routes are known here only: the events of lanes without one are excluded by a second reading, where there are any.
  return { estimate, ...(unrouted.length > 0 ? await read(unrouted) : { first, errors }) };
}

function readTimes({ oldest, newest, ...counts }: LaneCountJson): LaneCount {
  return { ...counts, oldest: new Date(oldest), newest: new Date(newest) };
}
