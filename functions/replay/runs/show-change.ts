import type { HeaderValue, LeasedEvent } from '../../../shared/events.ts';
import type { Edit } from './edit-schema.ts';
import { patchEvent } from './patch/patch-event.ts';
import { readPatch } from './patch/read-patch.ts';

type Original = Pick<LeasedEvent, 'body' | 'payload_text' | 'payload_encoding' | 'headers'>;

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

/** What an event would be sent with in place of its own. */
export function showChange(
  original: Original,
  { patch, edit }: { readonly patch?: string | null | undefined; readonly edit?: Edit | undefined },
): ShownChange {
  if (!patch && !edit) return {};
  const body = original.body ?? Buffer.from(original.payload_text ?? '');
  const before = { body: showBody(body), headers: original.headers };
  if (edit) {
    return {
      before,
      after: { body: showBody(edit.body ?? body), headers: edit.headers ?? original.headers },
    };
  }
  const patched = patchEvent(original, readPatch(patch ?? '[]'));
  if ('reason' in patched) return { before, skipped: { reason: 'patch', detail: patched.reason } };
  return { before, after: { ...before, body: showBody(patched.body) } };
}

function showBody(body: Buffer): Shown['body'] {
  const text = body.toString('utf8');
  return Buffer.from(text).equals(body) ? text : { base64: body.toString('base64') };
}
