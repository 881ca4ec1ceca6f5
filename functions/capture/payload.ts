import { toStorableText } from '../../shared/storable-text.ts';
import type { Message } from './message.ts';
import { decodeUtf8, parseJson } from './text.ts';

/** The queryable view of a message's bytes: JSON text for the payload column, and how it was made. */
export type Payload = { readonly json: string; readonly encoding: 'json' | 'text' | 'base64' | 'none' };

/**
 * JSON stays as it is, text becomes a JSON string, anything else base64 in a JSON string, nothing JSON null. Avro and
 * Protobuf may look like text by chance: what says that it is binary, or has U+0000 in it, is not taken for text.
 */
export function viewPayload({ body, headers }: Pick<Message, 'body' | 'headers'>): Payload {
  if (body.length === 0) return { json: 'null', encoding: 'none' };
  const text = headers.googclient_schemaencoding === 'BINARY' ? undefined : decodeUtf8(body);
  if (text === undefined) return viewAsBase64(body);
  if (parseJson(text) !== undefined) return { json: replaceUnstorable(text), encoding: 'json' };
  return text.includes('\0') ? viewAsBase64(body) : viewAsText(text);
}

function viewAsBase64(body: Buffer): Payload {
  return { json: JSON.stringify(body.toString('base64')), encoding: 'base64' };
}

/** For JSON that PostgreSQL cannot hold, with numbers or a depth past its limits. */
export function viewAsText(text: string): Payload {
  return { json: JSON.stringify(toStorableText(text)), encoding: 'text' };
}

/**
 * Escapes of U+0000 and of lone surrogates become U+FFFD in JSON text, which jsonb would refuse. Done on the text,
 * because parsing and printing would change large numbers.
 */
function replaceUnstorable(json: string): string {
  return json.replaceAll(
    /(\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})|(\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2}))|\\./g,
    (found, _pair, unstorable) => (unstorable === undefined ? found : String.raw`\ufffd`),
  );
}
