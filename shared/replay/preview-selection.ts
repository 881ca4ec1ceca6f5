import type { Database } from '../database/database.ts';
import { isCounted, listCountedErrors } from '../events/count-from-depths.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { runWithinCost } from '../events/filter/run-within-cost.ts';
import { statuses } from '../message/event.ts';
import { estimateWithErrors, type Selection, type SelectionEstimate } from './estimate-selection.ts';
import type { SelectedError } from './preview-groups.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { exclusion } from './skip-reasons.ts';

type Deps = Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>;

/** The events that a run would select: their numbers, the first ones, and their error groups. */
type PreviewedSelection = {
  readonly estimate: SelectionEstimate;
  readonly first: readonly string[];
  readonly errors: readonly SelectedError[];
};

type Selected = Pick<Selection, 'includeSucceeded' | 'includeDiscarded'> & {
  readonly excludedLanes: readonly string[];
};

const readErrors = filteredStatement<Selected & { max: number }, SelectedError>(
  'list-selected-errors',
  import.meta.url,
  () => ({ exclusion: exclusion() }),
);

const listIds = filteredStatement<
  Selected & { from: string; upTo: string; max: number },
  { readonly id: string }
>('list-first-selected', import.meta.url, () => ({ exclusion: exclusion() }));

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

/**
 * Lists the ids of the first `max` events of a selection that has some. They are looked for where twice as
 * many are if the events are spread evenly over their ids, and among all of them if there are too few.
 */
async function listFirstSelected(
  db: Database,
  selection: Selection,
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
