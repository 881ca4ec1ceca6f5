import * as v from 'valibot';
import { readPatch } from '../json/apply-patch.ts';
import { restoreBody } from '../message/restore-body.ts';
import { count, described, listOf, text } from '../response-values.ts';
import { patchEvent } from './patch-event.ts';
import type { SelectedEvent } from './preview-selection.ts';

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
