import type { Capture } from './message.ts';
import { decodeUtf8 } from './text.ts';

/** A message's bytes for people and queries: as text, in base64 where they are no text, and how it was made. */
export type Payload = {
  readonly content: string;
  readonly encoding: 'json' | 'text' | 'base64' | 'none';
  /** The content is the bytes and nothing else. */
  readonly isExact: boolean;
};

/**
 * JSON stays as it is, text is text, anything else becomes base64. Avro and Protobuf may look like text by chance:
 * what says that it is binary, or has U+0000 in it, is not taken for text.
 */
export function viewPayload({
  body,
  headers,
  isJson,
}: Pick<Capture, 'body' | 'headers' | 'isJson'>): Payload {
  if (body.length === 0) return { content: '', encoding: 'none', isExact: true };
  const text = headers.googclient_schemaencoding === 'BINARY' ? undefined : decodeUtf8(body);
  if (text === undefined) return viewAsBase64(body);
  if (isJson) {
    const content = replaceUnstorable(text);
    return { content, encoding: 'json', isExact: content === text };
  }
  return text.includes('\0') ? viewAsBase64(body) : viewAsText(text);
}

function viewAsBase64(body: Buffer): Payload {
  return { content: body.toString('base64'), encoding: 'base64', isExact: true };
}

/** For JSON that PostgreSQL cannot hold, with numbers or a depth past its limits. */
export function viewAsText(content: string): Payload {
  return { content, encoding: 'text', isExact: true };
}

/**
 * Escapes of U+0000 and of lone surrogates become U+FFFD in JSON text, since neither text nor jsonb can hold them.
 * Done on the text, because parsing and printing would change large numbers.
 */
export function replaceUnstorable(json: string): string {
  if (!json.includes('\\u')) return json;
  return json.replaceAll(
    /(\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})|(\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2}))|\\./g,
    (found, _pair, unstorable) => (unstorable === undefined ? found : String.raw`\ufffd`),
  );
}
