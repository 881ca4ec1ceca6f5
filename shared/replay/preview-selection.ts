import { isCounted, listCountedErrors } from '../counts/count-from-depths.ts';
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

/** Reads a selection for its preview, with up to `maxFirst` ids and `maxErrors` error groups. Throws what estimateSelection throws. */
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
  const { estimate, errors } = await estimateWithErrors(deps, selection, isFromCounts ? 0 : maxErrors);
  const { unrouted, selected } = estimate;
  if (selected === 0) return { estimate, first: [], errors: [] };
  const listErrors = () =>
    isFromCounts ? countErrors(deps, selection, { estimate, max: maxErrors }) : errors;
  const [first, found] = await Promise.all([
    listFirstSelected(deps.db, selection, { estimate, max: maxFirst }),
    // Routes are known here only: the events of lanes without one are excluded by a second reading, where there are any.
    unrouted.length > 0 ? read(unrouted) : listErrors(),
  ]);
  return { estimate, first, errors: found ?? (await read([])) };
}

/** The error groups from the counts, without reading the events; undefined if the counts have other events than the selection. */
async function countErrors(
  { db }: Deps,
  { filter, includeSucceeded, includeDiscarded }: Selection,
  { estimate, max }: { readonly estimate: SelectionEstimate; readonly max: number },
): Promise<readonly SelectedError[] | undefined> {
  const skipped: string[] = [];
  if (!includeSucceeded) skipped.push('SUCCEEDED');
  if (!includeDiscarded) skipped.push('DISCARDED');
  const status = (filter.status ?? statuses).filter((each) => !skipped.includes(each));
  const errors = await listCountedErrors(db, { ...filter, status }, max);
  if (errors?.[0]?.allEvents !== estimate.selected) return undefined;
  return errors.map(({ allEvents: _, ...error }) => error);
}
