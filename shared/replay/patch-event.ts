import type { Message } from '../delivery/leased-event.ts';
import { applyPatch, type Operation } from '../json/apply-patch.ts';
import { PatchError } from '../json/json-nodes.ts';

/** Applies a patch to a copy of an event's body. Returns the body, or why the patch does not apply. */
export function patchEvent(
  event: Pick<Message, 'body' | 'payloadEncoding'>,
  patch: readonly Operation[],
): { readonly body: Buffer } | { readonly reason: string } {
  if (event.payloadEncoding !== 'json') return { reason: 'Its payload is not JSON.' };
  try {
    return { body: Buffer.from(applyPatch(event.body.toString(), patch)) };
  } catch (error) {
    if (error instanceof PatchError) return { reason: error.message };
    throw error;
  }
}
