import { indentJson } from '../events/indent-json.ts';
import type { EventView } from '../events/read-event.ts';
import { bytesOf } from '../events/read-event.ts';

/** A payload as a person can edit it: text where it is text, else base64. */
export type MessageText = { readonly text: string; readonly isBase64: boolean };

/** JSON in one line is indented, as nobody could edit it otherwise. */
export function textOf(event: EventView): MessageText {
  const bytes = bytesOf(event);
  const text = bytes.toString('utf8');
  // A form sends every end of a line as CR LF: only where all are alike they can come back as they were.
  const isAlike = !/\r(?!\n)/.test(text) && (!text.includes('\r') || !/(^|[^\r])\n/.test(text));
  const isText = Buffer.from(text).equals(bytes) && !text.includes('\0') && isAlike;
  if (!isText) return { text: bytes.toString('base64'), isBase64: true };
  return {
    text: event.payload_encoding === 'json' && !text.includes('\n') ? indentJson(text) : text,
    isBase64: false,
  };
}

/** What a form sent, with the ends of lines that the original had. */
export function restoreLineEnds(sent: string, original: string): string {
  const plain = sent.replaceAll('\r\n', '\n');
  return original.includes('\r\n') ? plain.replaceAll('\n', '\r\n') : plain;
}

/** JSON by line, and anything else as it is. */
export function toLines(text: string): string[] {
  return (/^\s*[{[]/.test(text) ? indentJson(text) : text).split(/\r?\n/);
}
