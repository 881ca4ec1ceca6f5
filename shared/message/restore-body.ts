import { parseJson } from '../json/parse-json.ts';
import { printMessage } from './printed-message.ts';

export type StoredMessage = {
  readonly body: Buffer | null;
  readonly payloadText: string | null;
  readonly payloadEncoding: 'json' | 'text' | 'base64' | 'none';
  readonly printedAs: string | null;
};

/**
 * Of an event that plain SQL inserted or changed, they are its payload as PostgreSQL prints it, also if its
 * encoding or print is not that of the payload.
 */
export function restoreBody({ body, payloadText, payloadEncoding, printedAs }: StoredMessage): Buffer {
  if (body) return body;
  if (payloadText === null || payloadEncoding === 'none') return Buffer.alloc(0);
  const printed = printedAs === null ? undefined : printMessage(payloadText, printedAs);
  if (payloadEncoding === 'json') return printed ?? Buffer.from(payloadText);
  const text = parseJson(payloadText);
  if (typeof text !== 'string') return Buffer.from(payloadText);
  if (payloadEncoding === 'text') return Buffer.from(text);
  return isBase64(text) ? Buffer.from(text, 'base64') : Buffer.from(payloadText);
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
