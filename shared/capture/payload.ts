import { decodeUtf8 } from './decode-bytes.ts';
import type { Capture } from './message.ts';

/** A message's bytes for operators and queries: as text, or as base64 of bytes that are not text. */
export type Payload = {
  readonly content: string;
  readonly encoding: 'json' | 'text' | 'base64' | 'none';
  /** Whether the exact bytes can be restored from the content. */
  readonly isExact: boolean;
};

/**
 * The payload of a message: JSON and text as they are, anything else as base64. Avro and Protobuf may be valid UTF-8 by
 * chance: bytes that are declared as binary, or contain U+0000, are not treated as text.
 */
export function toPayload({ body, headers, isJson }: Pick<Capture, 'body' | 'headers' | 'isJson'>): Payload {
  if (body.length === 0) return { content: '', encoding: 'none', isExact: true };
  const text = headers.googclient_schemaencoding === 'BINARY' ? undefined : decodeUtf8(body);
  if (text === undefined) return viewAsBase64(body);
  if (isJson) {
    const content = replaceUnstorable(text);
    return { content, encoding: 'json', isExact: content === text };
  }
  return text.includes('\0') ? viewAsBase64(body) : toTextPayload(text);
}

function viewAsBase64(body: Buffer): Payload {
  return { content: body.toString('base64'), encoding: 'base64', isExact: true };
}

/** The payload of JSON whose numbers or depth exceed the limits of jsonb. */
export function toTextPayload(content: string): Payload {
  return { content, encoding: 'text', isExact: true };
}

/**
 * Replaces escapes of U+0000 and of lone surrogates in JSON text by U+FFFD: neither text nor jsonb can hold them. Works
 * on the text, because parsing and printing would change large numbers.
 */
export function replaceUnstorable(json: string): string {
  if (!json.includes('\\u')) return json;
  return json.replaceAll(
    /(\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})|(\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2}))|\\./g,
    (found, _pair, unstorable) => (unstorable === undefined ? found : String.raw`\ufffd`),
  );
}
