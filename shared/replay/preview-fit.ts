import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readPatch } from '../json/apply-patch.ts';
import { restoreBody, type StoredMessage } from '../message/restore-body.ts';
import { count, described, listOf, text } from '../response-values.ts';
import { patchEvent } from './patch-event.ts';

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

/**
 * Events that are checked; each operation reads the whole message, so that more operations check fewer bytes.
 */
const maxChecked = 1000;
const maxBytes = 2 * 2 ** 20;
/** A parsed message takes some thirty times its bytes of memory. */
const maxMessage = 2 ** 19;
const maxReasons = 10;
const maxIds = 100;

const listSelectedBodies = statement<
  { ids: readonly string[]; maxBytes: number; maxMessage: number },
  StoredMessage & { readonly id: string }
>('list-selected-bodies', import.meta.url);

/** Tries a patch on the first events of a selection. `first`: their ids. */
export async function previewFit(
  db: Database,
  patch: string,
  { first, selected }: { readonly first: readonly string[]; readonly selected: number },
): Promise<PreviewFit> {
  const operations = readPatch(patch);
  const messages = await listSelectedBodies(db, {
    ids: first.slice(0, maxChecked),
    maxBytes: Math.floor(maxBytes / operations.length),
    maxMessage,
  });
  const misfits = messages.flatMap(({ id, ...message }) => {
    const body = restoreBody(message);
    const patched = patchEvent({ body, payloadEncoding: message.payloadEncoding }, operations);
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
