import * as v from 'valibot';
import type { Message } from '../delivery/leased-event.ts';
import { hidden, maskBody, maskHeaders } from '../events/masking/mask.ts';
import { readPatch } from '../json/apply-patch.ts';
import { restoreBody, type StoredMessage } from '../message/printed-message.ts';
import { count, described, text } from '../response-values.ts';
import { patchEvent } from './edit-run.ts';
import type { Edit } from './run-request.ts';

/** The message of an event as it was captured. */
export type Original = StoredMessage & Pick<Message, 'headers'>;

type Change = {
  readonly patch?: string | null | undefined;
  readonly edit?: Edit | undefined;
  /** The fields that the route of the event hides. */
  readonly mask?: readonly string[] | undefined;
};

const bytes = v.strictObject({ base64: text });
const textOrBytes = v.union([text, bytes]);

/** A message before or after an edit: the body as text, or as base64 if it is not UTF-8. */
export const MessageSchema = v.strictObject({
  body: textOrBytes,
  headers: v.record(v.string(), v.union([text, bytes, v.pipe(v.array(textOrBytes), v.readonly())])),
});

/**
 * The message before and after an edit, or why the patch does not apply. Empty for an event that is not
 * edited.
 */
export const ShownChangeSchema = v.strictObject({
  before: v.exactOptional(MessageSchema),
  after: v.exactOptional(MessageSchema),
  skipped: v.exactOptional(v.strictObject({ reason: v.literal('patch'), detail: text })),
  omittedBytes: v.exactOptional(described(count, 'The size of a message that is too large to be shown.')),
});

export type ShownChange = v.InferOutput<typeof ShownChangeSchema>;

/**
 * Returns the message of an event before and after an edit or patch, with the fields hidden that its route
 * masks.
 */
export function showChange(original: Original, { patch, edit, mask = [] }: Change): ShownChange {
  if (!patch && !edit) return {};
  const isJson = original.payloadEncoding === 'json';
  const show = (body: Buffer, headers: Original['headers']) => ({
    body: showBody(maskBody({ body, isJson }, mask)),
    headers: maskHeaders(headers, mask),
  });
  const body = restoreBody(original);
  const before = show(body, original.headers);
  if (edit) {
    // The encoding is that of the original body.
    const { 'content-encoding': _, ...headers } = original.headers;
    const kept = edit.body === undefined ? original.headers : headers;
    return { before, after: show(edit.body ?? body, edit.headers ?? kept) };
  }
  const operations = readPatch(patch ?? '[]');
  const patched = patchEvent({ ...original, body }, operations);
  if ('reason' in patched) return { before, skipped: { reason: 'patch', detail: patched.reason } };
  // The patch is applied to the masked body, so that no operation copies a hidden value to a visible field.
  const shown = patchEvent({ ...original, body: maskBody({ body, isJson }, mask) }, operations);
  return {
    before,
    after: 'reason' in shown ? { ...before, body: hidden } : show(shown.body, original.headers),
  };
}

function showBody(body: Buffer): v.InferOutput<typeof textOrBytes> {
  const decoded = body.toString('utf8');
  return Buffer.from(decoded).equals(body) ? decoded : { base64: body.toString('base64') };
}
