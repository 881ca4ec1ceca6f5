import { isDeeper } from '../json/parse-json.ts';
import { findPrint } from '../message/printed-message.ts';
import type { Content } from './content.ts';
import { decodeUtf8 } from './decode-bytes.ts';
import type { Capture } from './message.ts';

/**
 * How PostgreSQL makes the payload, a view of a message for operators and queries, of the bytes: as JSON, as
 * text, or as base64 of bytes that are not text. `content` is the JSON to show where jsonb cannot hold that
 * of the bytes. `printedAs` says how the bytes are restored from the payload, so that they are not stored.
 */
export type Payload = {
  readonly encoding: 'json' | 'text' | 'base64' | 'none';
  readonly content?: string;
  readonly printedAs?: string;
};

/** PostgreSQL reads and prints jsonb by recursion: deeper JSON is one text. */
export const maxDepth = 1000;

/** Whether the payload of a message is JSON, and how its bytes are printed from it. */
export function describeJson({ body, json }: Content, text?: string): Pick<Capture, 'isJson' | 'printedAs'> {
  const printedAs = json === undefined || text !== undefined ? null : findPrint(json, body);
  return { isJson: printedAs !== null || (json !== undefined && !isDeeper(json, maxDepth)), printedAs };
}

type Printed = Pick<Capture, 'body' | 'text' | 'headers' | 'hasEmptyValue' | 'isJson' | 'printedAs'>;

/**
 * The payload of a message: JSON and text as they are, anything else as base64. Avro and Protobuf may be
 * valid UTF-8 by chance: bytes that are declared as binary, or contain U+0000, are not treated as text.
 */
export function toPayload({
  body,
  text: decoded,
  headers,
  hasEmptyValue,
  isJson,
  printedAs,
}: Printed): Payload {
  if (body.length === 0) return { encoding: hasEmptyValue ? 'text' : 'none' };
  if (headers.googclient_schemaencoding === 'BINARY') return { encoding: 'base64' };
  if (!isJson) return { encoding: body.includes(0) || decodeUtf8(body) === undefined ? 'base64' : 'text' };
  if (decoded !== undefined) return { encoding: 'json', content: replaceUnstorable(decoded) };
  if (printedAs !== null) return { encoding: 'json', printedAs };
  // Only escapes are replaced, and most messages have none: those are not decoded.
  if (!body.includes('\\u')) return { encoding: 'json' };
  const text = body.toString();
  const content = replaceUnstorable(text);
  return content === text ? { encoding: 'json' } : { encoding: 'json', content };
}

/**
 * Replaces escapes of U+0000 and of lone surrogates in JSON text by U+FFFD: neither text nor jsonb can hold
 * them. Works on the text, because parsing and printing would change large numbers.
 */
export function replaceUnstorable(json: string): string {
  // Without a call for each escape: a text in another script than Latin has millions.
  if (!/\\u(0000|[dD][89a-fA-F])/.test(json)) return json;
  return json.replaceAll(
    /(\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})|(\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2}))|\\./g,
    (found, _pair, unstorable) => (unstorable === undefined ? found : String.raw`\ufffd`),
  );
}
