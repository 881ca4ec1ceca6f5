import { findExcess } from '../json/find-excess.ts';
import { isObject, parseJson } from '../json/parse-json.ts';
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

/**
 * Whether a value is an object whose members all have one of these names. A body that nobody declares is an
 * envelope only if it is nothing else: reading it must not lose a member.
 */
export function isWholly(value: unknown, names: ReadonlySet<string>): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  for (const name in value) if (!names.has(name)) return false;
  return true;
}
