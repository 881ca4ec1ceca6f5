import type { LeasedEvent } from '../../delivery/leased-event.ts';
import { PatchError } from '../../json/json-nodes.ts';
import { applyPatch, type Operation } from './apply-patch.ts';

/** A body after a patch, or why the patch does not apply. */
export type PatchedBody = { readonly body: Buffer } | { readonly reason: string };

/** Applies a patch to a copy of an event's body. */
export function patchEvent(
  event: Pick<LeasedEvent, 'body' | 'payloadText' | 'payloadEncoding'>,
  patch: readonly Operation[],
): PatchedBody {
  if (event.payloadEncoding !== 'json') return { reason: 'Its payload is not JSON.' };
  try {
    const text = event.body?.toString('utf8') ?? event.payloadText ?? '';
    return { body: Buffer.from(applyPatch(text, patch)) };
  } catch (error) {
    if (error instanceof PatchError) return { reason: error.message };
    throw error;
  }
}
