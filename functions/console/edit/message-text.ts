import { isUtf8 } from 'node:buffer';
import type { EventView } from '../../../shared/events/read-event.ts';
import { indentJson } from '../events/payload-lines.ts';

/** A payload in a form: text, or base64 if it is not text. */
export type MessageText = { readonly text: string; readonly isBase64: boolean };

/** The payload as text for a form. JSON on a single line is indented. */
export function textOf(event: EventView): MessageText {
  const bytes = event.body;
  const text = bytes.toString('utf8');
  // A form sends every line ending as CR LF, so only uniform line endings can be restored.
  const isUniform = !/\r(?!\n)/.test(text) && (!text.includes('\r') || !/(^|[^\r])\n/.test(text));
  const isText = isUtf8(bytes) && !text.includes('\0') && isUniform;
  if (!isText) return { text: bytes.toString('base64'), isBase64: true };
  return {
    text: event.payloadEncoding === 'json' && !text.includes('\n') ? indentJson(text) : text,
    isBase64: false,
  };
}

/** The text of a form, with the line endings of the original. */
export function restoreLineEndings(sent: string, original: string): string {
  const plain = sent.replaceAll('\r\n', '\n');
  return original.includes('\r\n') ? plain.replaceAll('\n', '\r\n') : plain;
}
