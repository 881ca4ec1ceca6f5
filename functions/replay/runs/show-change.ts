import type { HeaderValue, LeasedEvent } from '../../../shared/events.ts';
import { hidden } from '../../../shared/mask.ts';
import { maskBody, maskHeaders } from '../../../shared/mask-message.ts';
import type { Edit } from './edit-schema.ts';
import { patchEvent } from './patch/patch-event.ts';
import { readPatch } from './patch/read-patch.ts';

type Original = Pick<LeasedEvent, 'body' | 'payload_text' | 'payload_encoding' | 'headers'>;

type Change = {
  readonly patch?: string | null | undefined;
  readonly edit?: Edit | undefined;
  /** What the route of the event hides. */
  readonly mask?: readonly string[] | undefined;
};

/** A message as text where it is text, else as base64. */
export type Shown = {
  readonly body: string | { readonly base64: string };
  readonly headers: Readonly<Record<string, HeaderValue>>;
};

/** What is edited, before and after, or why the patch does not fit. Nothing where nothing is edited. */
export type ShownChange = {
  readonly before?: Shown;
  readonly after?: Shown;
  readonly skipped?: { readonly reason: 'patch'; readonly detail: string };
};

/** What an event would be sent with in place of its own, without what its route hides. */
export function showChange(original: Original, { patch, edit, mask = [] }: Change): ShownChange {
  if (!patch && !edit) return {};
  const isJson = original.payload_encoding === 'json';
  const show = (body: Buffer, headers: Original['headers']) => ({
    body: showBody(maskBody({ body, isJson }, mask)),
    headers: maskHeaders(headers, mask),
  });
  const body = original.body ?? Buffer.from(original.payload_text ?? '');
  const before = show(body, original.headers);
  if (edit) return { before, after: show(edit.body ?? body, edit.headers ?? original.headers) };
  const operations = readPatch(patch ?? '[]');
  const patched = patchEvent(original, operations);
  if ('reason' in patched) return { before, skipped: { reason: 'patch', detail: patched.reason } };
  // Made of what is shown, so that no operation carries what is hidden to where it is not.
  const shown = patchEvent({ ...original, body: maskBody({ body, isJson }, mask) }, operations);
  return {
    before,
    after: 'reason' in shown ? { ...before, body: hidden } : show(shown.body, original.headers),
  };
}

function showBody(body: Buffer): Shown['body'] {
  const text = body.toString('utf8');
  return Buffer.from(text).equals(body) ? text : { base64: body.toString('base64') };
}
