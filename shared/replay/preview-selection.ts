import { statement } from '../database/statement.ts';
import { messageFacts } from '../delivery/leased-event.ts';
import type { Outgoing } from '../delivery/targets/limits.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { readPatch } from '../json/apply-patch.ts';
import type { Origin, Status } from '../message/event.ts';
import type { StoredMessage } from '../message/restore-body.ts';
import { estimateSelection, type SelectionEstimate } from './estimate-selection.ts';
import type { ReplayDeps } from './replay-deps.ts';
import type { RunRequest } from './run-request.ts';
import { exclusion } from './skip-reasons.ts';

/** One of the first events of a selection, with its body if that `isRead`. */
export type SelectedEvent = Origin &
  Omit<Outgoing, 'redelivery'> &
  StoredMessage & {
    readonly id: string;
    readonly status: Status;
    readonly capturedAt: Date;
    readonly errorReason: string;
    readonly isRead: boolean;
  };

const readSelected = statement<
  { ids: readonly string[]; maxBytes: number; maxMessage: number },
  SelectedEvent
>('read-selected', import.meta.url, messageFacts);

const listIds = filteredStatement<
  Pick<RunRequest, 'includeSucceeded' | 'includeDiscarded'> & {
    excludedLanes: readonly string[];
    from: string;
    upTo: string;
    max: number;
  },
  { readonly id: string }
>('list-first-selected', import.meta.url, () => ({ exclusion: exclusion() }));

/** Events that a preview reads, and bytes of the messages that a patch is tried on, for one operation. */
const maxFirst = 1000;
const maxBytes = 2 * 2 ** 20;
/** Enough for samples, whatever the number of operations. */
const minBytes = 2 ** 18;
/** A parsed message takes some thirty times its bytes of memory. */
const maxMessage = 2 ** 19;

/**
 * Reads a selection for its preview: the numbers of its events, its largest error groups, and its first
 * events, with their bodies if the request changes them. Throws what estimateSelection throws.
 */
export async function previewSelection(
  deps: Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>,
  request: RunRequest,
) {
  const estimate = await estimateSelection(deps, request);
  const { selected, unrouted } = estimate;
  // Routes are known here only: the errors of events without one are excluded by a second reading.
  const { errors } = unrouted.length === 0 ? estimate : await estimateSelection(deps, request, unrouted);
  const first = selected === 0 ? [] : await listFirstSelected(deps, request, estimate);
  const { patch, edit } = request;
  // Each operation reads the whole message: more of them are tried on fewer bytes.
  const operations = patch === undefined ? 1 : readPatch(patch).length;
  const events = await readSelected(deps.db, {
    ids: first,
    maxMessage: patch === undefined && !edit ? 0 : maxMessage,
    maxBytes: Math.max(minBytes, Math.floor(maxBytes / operations)),
  });
  return { estimate, errors, first, events };
}

/**
 * Lists the ids of the first events of a selection that has some. They are looked for where twice as many are
 * if the events are spread evenly over their ids, and among all of them if there are too few.
 */
async function listFirstSelected(
  { db }: Pick<ReplayDeps, 'db'>,
  { filter, includeSucceeded, includeDiscarded }: RunRequest,
  { parts, selected, unrouted: excludedLanes }: SelectionEstimate,
): Promise<readonly string[]> {
  const from = parts.map(({ firstId }) => BigInt(firstId)).reduce((a, b) => (a < b ? a : b));
  const last = parts.map(({ lastId }) => BigInt(lastId)).reduce((a, b) => (a > b ? a : b));
  const list = async (upTo: bigint) => {
    const range = { from: `${from}`, upTo: `${upTo}`, max: maxFirst };
    const rows = await listIds(db, filter, { includeSucceeded, includeDiscarded, excludedLanes, ...range });
    return rows.map(({ id }) => id);
  };
  const likely = from + ((last - from) * BigInt(2 * maxFirst)) / BigInt(selected);
  const first = likely < last ? await list(likely) : [];
  return first.length < maxFirst ? list(last) : first;
}
