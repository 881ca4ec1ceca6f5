import { findExcess } from '../json/find-excess.ts';
import { parseJson } from '../json/parse-json.ts';
import { decodeUtf8 } from './decode-bytes.ts';

/**
 * Bytes, and the JSON value that they encode or undefined. Parsed once, because each reader looks at the
 * value.
 */
export type Content = { readonly body: Buffer; readonly json: unknown };

/** Parses bytes as JSON, and keeps both. JSON that exceeds a limit is one text. */
export function toContent(body: Buffer): Content {
  return { body, json: findExcess(body) === undefined ? parseJson(decodeUtf8(body)) : undefined };
}
