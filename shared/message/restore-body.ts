import { parseJson } from '../json/parse-json.ts';
import { printMessage } from './printed-message.ts';

/** A message as a row has it: its bytes, or the payload that they are restored from, as PostgreSQL prints it. */
export type StoredMessage = {
  readonly body: Buffer | null;
  readonly payloadText: string | null;
  readonly payloadEncoding: 'json' | 'text' | 'base64' | 'none';
  readonly printedAs: string | null;
};

/** Returns the bytes of a message. Of an event that plain SQL inserted, they are its payload as PostgreSQL prints it. */
export function restoreBody({ body, payloadText, payloadEncoding, printedAs }: StoredMessage): Buffer {
  if (body) return body;
  if (payloadText === null || payloadEncoding === 'none') return Buffer.alloc(0);
  if (payloadEncoding === 'json') {
    return printedAs === null ? Buffer.from(payloadText) : printMessage(JSON.parse(payloadText), printedAs);
  }
  const text = parseJson(payloadText);
  if (typeof text !== 'string') return Buffer.from(payloadText);
  return Buffer.from(text, payloadEncoding === 'text' ? 'utf8' : 'base64');
}
