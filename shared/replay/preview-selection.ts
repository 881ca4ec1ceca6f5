import { isCounted, listCountedErrors } from '../events/count-from-depths.ts';
import { statuses } from '../events/filter/filter-values.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { runWithinCost } from '../events/filter/run-within-cost.ts';
import { estimateWithErrors, type Selection, type SelectionEstimate } from './estimate-selection.ts';
import { listFirstSelected } from './list-first-selected.ts';
import type { SelectedError } from './preview-groups.ts';
import type { ReplayDeps } from './replay-deps.ts';

type Deps = Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>;

/** The events that a run would select: their numbers, the first ones, and their error groups. */
type PreviewedSelection = {
  readonly estimate: SelectionEstimate;
  readonly first: readonly string[];
  readonly errors: readonly SelectedError[];
};

const readErrors = filteredStatement<
  {
    includeSucceeded: boolean;
    includeDiscarded: boolean;
    excludedLanes: readonly string[];
    max: number;
  },
  SelectedError
>('list-selected-errors', import.meta.url);

/**
 * Reads a selection for its preview, with up to `maxFirst` ids and `maxErrors` error groups. Throws what
 * estimateSelection throws.
 */
export async function previewSelection(
  deps: Deps,
  selection: Selection,
  { maxFirst, maxErrors }: { readonly maxFirst: number; readonly maxErrors: number },
): Promise<PreviewedSelection> {
  const read = (excludedLanes: readonly string[]) => {
    const { filter, includeSucceeded, includeDiscarded } = selection;
    const params = { includeSucceeded, includeDiscarded, excludedLanes, max: maxErrors };
    return runWithinCost(deps.db, readErrors, { filter, params, costLimit: deps.costLimit });
  };
  const isFromCounts = isCounted(selection.filter);
  const [{ estimate, errors }, counted] = await Promise.all([
    estimateWithErrors(deps, selection, isFromCounts ? 0 : maxErrors),
    countErrors(deps, selection, maxErrors),
  ]);
  const { unrouted, selected } = estimate;
  if (selected === 0) return { estimate, first: [], errors: [] };
  // The counts have no events without an error group.
  const isCountedExactly = counted.events === selected;
  // Routes are known here only: the events of lanes without one are excluded by a second reading, where there
  // are any.
  const isReadAgain = unrouted.length > 0 || (isFromCounts && !isCountedExactly);
  const [first, found] = await Promise.all([
    listFirstSelected(deps.db, selection, { estimate, max: maxFirst }),
    isReadAgain ? read(unrouted) : isFromCounts ? counted.errors : errors,
  ]);
  return { estimate, first, errors: found };
}

/**
 * The error groups from the counts, with the number of their events, 0 for a filter that the counts do not
 * have: reads no event.
 */
async function countErrors(
  { db }: Deps,
  { filter, includeSucceeded, includeDiscarded }: Selection,
  max: number,
): Promise<{ readonly events: number; readonly errors: readonly SelectedError[] }> {
  const status = (filter.status ?? statuses).filter(
    (each) => (includeSucceeded || each !== 'SUCCEEDED') && (includeDiscarded || each !== 'DISCARDED'),
  );
  const counted = (await listCountedErrors(db, { ...filter, status }, max)) ?? [];
  return { events: counted[0]?.allEvents ?? 0, errors: counted.map(({ allEvents: _, ...error }) => error) };
}
