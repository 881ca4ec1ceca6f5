import { findExcess } from '../json/find-excess.ts';
import { isObject, parseJson } from '../json/parse-json.ts';

/**
 * Bytes, the JSON value that they encode or undefined, and their text unless they are its UTF-8. Parsed once,
 * because each reader looks at the value. Of no bytes, `''` is an empty value, and undefined is none: in
 * Kafka a tombstone. `unread`: why it is kept whole, although it is declared as something else: `not gzip`.
 */
export type Content = {
  readonly body: Buffer;
  readonly json: unknown;
  readonly text: string | undefined;
  readonly unread?: string | undefined;
};

/** Parses bytes as JSON, and keeps both. JSON that exceeds a limit is one text. */
export function toContent(body: Buffer): Content {
  const json = findExcess(body) === undefined ? parseJson(decodeUtf8(body)) : undefined;
  return { body, json, text: undefined };
}

/** Of a message that may have an empty value, or none. */
export function toValue(body: Buffer | null | undefined): Content {
  const content = toContent(body ?? Buffer.alloc(0));
  return body?.length === 0 ? { ...content, text: '' } : content;
}

export function utf8Of({ body, text }: Content): Buffer {
  return text === undefined ? body : Buffer.from(text);
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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * base64 or base64url, with or without padding and line breaks; undefined for any other text. Node.js skips
 * other characters, so that there are more than the bytes need, or other last ones.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const joined = text.replaceAll('\r\n', '').replaceAll('\n', '');
  const isPadded = joined.endsWith('=') && joined.length % 4 === 0;
  const plain = isPadded ? joined.slice(0, joined.endsWith('==') ? -2 : -1) : joined;
  const bytes = Buffer.from(plain, 'base64');
  const last = bytes.toString('base64url', bytes.length - (bytes.length % 3 || 3));
  const end = plain.slice(plain.length - last.length);
  const isPlain = plain.length === Math.ceil((bytes.length * 4) / 3);
  return isPlain && (end === last || end.replaceAll('+', '-').replaceAll('/', '_') === last)
    ? bytes
    : undefined;
}

export const isJsonType = /^[^;]*[/+]json[ \t]*(;|$)/i;

/** Decodes once; text that is not percent-encoded UTF-8 stays. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
