import * as v from 'valibot';
import { statement } from '../database/statement.ts';
import { messageFacts } from '../delivery/leased-event.ts';
import type { Route } from '../delivery/routes.ts';
import type { Outgoing } from '../delivery/targets/target-kind.ts';
import { limitsOf, nameTarget } from '../delivery/targets/target-kinds.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { readPatch } from '../json/apply-patch.ts';
import type { Origin, Status } from '../message/event.ts';
import { restoreBody, type StoredMessage } from '../message/printed-message.ts';
import { count, described, listOf, text } from '../response-values.ts';
import { patchEvent } from './edit-run.ts';
import { estimateSelection, type SelectionEstimate } from './estimate-selection.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { routeIn } from './run.ts';
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
>('read-selected', messageFacts);

const listIds = filteredStatement<
  { excludedLanes: readonly string[]; from: string; upTo: string; max: number },
  { readonly id: string }
>('list-first-selected', (filter) => ({ exclusion: exclusion(filter) }));

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
 * if the events are spread evenly over their ids, and ever further while there are too few.
 */
async function listFirstSelected(
  { db }: Pick<ReplayDeps, 'db'>,
  { filter }: RunRequest,
  { parts, selected, unrouted: excludedLanes }: SelectionEstimate,
): Promise<readonly string[]> {
  const from = parts.map(({ firstId }) => BigInt(firstId)).reduce((a, b) => (a < b ? a : b));
  const last = parts.map(({ lastId }) => BigInt(lastId)).reduce((a, b) => (a > b ? a : b));
  for (let span = ((last - from) * BigInt(2 * maxFirst)) / BigInt(selected); ; span *= 8n) {
    const upTo = span < last - from ? from + span : last;
    const range = { from: `${from}`, upTo: `${upTo}`, max: maxFirst };
    const rows = await listIds(db, filter, { excludedLanes, ...range });
    if (rows.length === maxFirst || upTo === last) return rows.map(({ id }) => id);
  }
}

/** How many of the selected events a patch fits. fits + doesNotFit + unknown = selected. */
export const PreviewFitSchema = v.strictObject({
  fits: count,
  doesNotFit: described(count, 'Events that the replay will skip.'),
  unknown: described(
    count,
    'Events that were not checked: the first of the selection are, unless their message is larger than 512 KiB.',
  ),
  reasons: described(
    listOf(
      v.strictObject({
        reason: text,
        events: count,
        ids: described(listOf(text), 'The ids of up to 100 of them.'),
      }),
    ),
    'Why the patch does not fit, the most frequent reason first.',
  ),
});

type PreviewFit = v.InferOutput<typeof PreviewFitSchema>;

const maxReasons = 10;
const maxIds = 100;

/** Tries a patch on the first events of a selection. */
export function previewFit(patch: string, events: readonly SelectedEvent[], selected: number): PreviewFit {
  const operations = readPatch(patch);
  const messages = events.filter(({ isRead }) => isRead);
  const misfits = messages.flatMap(({ id, ...message }) => {
    const patched = patchEvent({ ...message, body: restoreBody(message) }, operations);
    return 'reason' in patched ? [{ id, reason: patched.reason }] : [];
  });
  const reasons = [...Map.groupBy(misfits, ({ reason }) => reason)]
    .map(([reason, events]) => {
      const ids = events.slice(0, maxIds).map(({ id }) => id);
      return { reason, events: events.length, ids };
    })
    .toSorted((a, b) => b.events - a.events);
  return {
    fits: messages.length - misfits.length,
    doesNotFit: misfits.length,
    unknown: Math.max(0, selected - messages.length),
    reasons: reasons.slice(0, maxReasons),
  };
}

/** The parts of the first selected messages that targets do not take, the most frequent first. */
export const PreviewLimitsSchema = v.strictObject({
  checked: described(count, 'The number of messages that were checked: the first of the selection.'),
  found: listOf(
    v.strictObject({
      target: text,
      effect: described(
        v.picklist(['not-sent', 'omitted', 'changed', 'may-fail']),
        'not-sent: the event fails permanently, and nothing is sent. omitted: the message is sent without this part. changed: it is sent in another notation. may-fail: many servers reject it.',
      ),
      part: text,
      detail: described(text, 'What the target does not take of one of the events.'),
      events: count,
      example: described(text, 'The id of that event.'),
    }),
  ),
});

type PreviewLimits = v.InferOutput<typeof PreviewLimitsSchema>;
type Found = PreviewLimits['found'][number];

const maxFound = 20;

/** The others are checked when they are delivered. */
const maxChecked = 500;

/** Compares the first messages of a selection, as the run would send them, with limits of their targets. */
export function previewLimits(
  routes: readonly Route[],
  request: RunRequest,
  events: readonly SelectedEvent[],
): PreviewLimits {
  const messages = events.slice(0, maxChecked);
  const found = messages.flatMap((message): Found[] => {
    const route = routeIn(routes, request, message);
    if (!route) return [];
    const outgoing = {
      ...message,
      // As long as the real one, which the console's role cannot read.
      redelivery: `${message.id}.${'0'.repeat(32)}`,
      headers: request.edit?.headers ?? message.headers,
      bodyBytes: request.edit?.body?.length ?? message.bodyBytes,
    };
    const of = { target: nameTarget(route.target), events: 1, example: message.id };
    return limitsOf(route.target, outgoing).map((limit) => ({ ...limit, ...of }));
  });
  const alike = Map.groupBy(found, ({ target, effect, part }) => JSON.stringify([target, effect, part]));
  const counted = [...alike.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, events: 1 + others.length }] : [],
  );
  counted.sort((a, b) => b.events - a.events);
  return { checked: messages.length, found: counted.slice(0, maxFound) };
}
