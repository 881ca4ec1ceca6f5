import { findExcess } from '../json/find-excess.ts';
import { isObject, parseJson } from '../json/parse-json.ts';

/**
 * Bytes, the JSON value that they encode or undefined, and their text unless they are its UTF-8. Parsed once,
 * because each reader looks at the value. Of no bytes, `''` is an empty value, and undefined is none: in
 * Kafka a tombstone.
 */
export type Content = { readonly body: Buffer; readonly json: unknown; readonly text: string | undefined };

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

export function textOf({ body, text }: Content): string {
  return text ?? body.toString();
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
 * In the form that encoders write, with padding; undefined for any other text: Node.js skips its other
 * characters, so that it has more groups of four than its bytes need, or another last one.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  const groups = Math.ceil(bytes.length / 3);
  const last = bytes.toString('base64', Math.max(0, groups - 1) * 3);
  const isPlain = text.length === groups * 4 && text.endsWith(last);
  return isPlain && !text.includes('-') && !text.includes('_') ? bytes : undefined;
}

/** base64 or base64url, with or without padding and line breaks; undefined for any other text. */
export function decodeAnyBase64(text: string): Buffer | undefined {
  const exact = decodeBase64(text);
  if (exact) return exact;
  const bytes = Buffer.from(text, 'base64');
  const toPlain = (each: string) => each.replaceAll(/\r?\n/g, '').replace(/={1,2}$/, '');
  const plain = toPlain(text).replaceAll('-', '+').replaceAll('_', '/');
  return toPlain(bytes.toString('base64')) === plain ? bytes : undefined;
}

/** Decodes once; text that is not percent-encoded UTF-8 stays. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
