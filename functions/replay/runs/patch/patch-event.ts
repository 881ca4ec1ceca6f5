import type { LeasedEvent } from '../../../../shared/events.ts';
import { applyPatch } from './apply-patch.ts';
import { PatchError } from './json-document.ts';
import type { Operation } from './read-patch.ts';

/** A body after a patch, or why the patch does not fit it. */
export type PatchedBody = { readonly body: Buffer } | { readonly reason: string };

/** What a patch makes of an event's body. The event keeps its own. */
export function patchEvent(
  event: Pick<LeasedEvent, 'body' | 'payload_text' | 'payload_encoding'>,
  patch: readonly Operation[],
): PatchedBody {
  if (event.payload_encoding !== 'json') return { reason: 'Its payload is not JSON.' };
  try {
    const text = event.body?.toString('utf8') ?? event.payload_text ?? '';
    return { body: Buffer.from(applyPatch(text, patch)) };
  } catch (error) {
    if (error instanceof PatchError) return { reason: error.message };
    throw error;
  }
}
