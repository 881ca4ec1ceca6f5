import type { Headers, HeaderValue, SingleValue } from '../message/event.ts';
import { toText } from './column-values.ts';
import { decodeUtf8 } from './content.ts';

/** Headers of one message, and values of one header: the request of a message with more is kept whole. */
export const maxHeaders = 1000;

/** Text if the bytes are UTF-8 that PostgreSQL can store, else base64. */
export function toHeaderValue(bytes: Buffer): SingleValue {
  const text = decodeUtf8(bytes);
  return text === undefined || text.includes('\0') ? { base64: bytes.toString('base64') } : text;
}

/** Headers by their names in lower case. */
export function nameHeaders(headers: Headers): ReadonlyMap<string, HeaderValue> {
  return new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export function pickEntries<Value>(
  object: Readonly<Record<string, Value>>,
  isPicked: (name: string, value: Value) => boolean,
) {
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => isPicked(name, value)));
}

export function listValues(value: HeaderValue | undefined): readonly SingleValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as SingleValue];
}

/** The first value is the original event's, where each hop appends one. */
export function firstText(value: HeaderValue | undefined): string | null {
  return toText(listValues(value)[0]);
}

/** The last value is the latest hop's, where each hop appends one. */
export function lastText(value: HeaderValue | undefined): string | null {
  return toText(listValues(value).at(-1));
}

/**
 * One to eight bytes. A bridge that made text of them kept them, unless it inserted U+FFFD; digits are its
 * own guess.
 */
export function readBigEndian(value: unknown): bigint | null {
  if (typeof value === 'string' && /^\d+$|\uFFFD/.test(value)) return null;
  const base64 = (value as { readonly base64?: unknown } | null | undefined)?.base64;
  const bytes = Buffer.from(String(base64 ?? value ?? ''), typeof base64 === 'string' ? 'base64' : 'utf8');
  return bytes.length > 0 && bytes.length <= 8 ? BigInt(`0x${bytes.toString('hex')}`) : null;
}
