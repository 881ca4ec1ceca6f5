import type { HeaderValue } from '../../shared/events.ts';
import { decodeUtf8, parseJson, toFact } from './text.ts';

export type Headers = Readonly<Record<string, HeaderValue>>;
type SingleValue = string | { readonly base64: string };

/** A header's value from its bytes: text where it is UTF-8 that PostgreSQL can hold, else the bytes as base64. */
export function toHeaderValue(bytes: Buffer): string | { readonly base64: string } {
  const text = decodeUtf8(bytes);
  return text === undefined || text.includes('\0') ? { base64: bytes.toString('base64') } : text;
}

/** Adds one of several values of a name, in order. */
export function addHeader(
  headers: Record<string, HeaderValue>,
  name: string,
  value: string | { readonly base64: string },
) {
  const known = headers[name];
  if (known === undefined) headers[name] = value;
  else headers[name] = Array.isArray(known) ? [...known, value] : [known as typeof value, value];
}

/** Of several values of a name the one that came first: the original event's, where each hop adds at the end. */
export function firstValue(value: HeaderValue | undefined): SingleValue | undefined {
  return Array.isArray(value) ? value[0] : (value as SingleValue | undefined);
}

/** Of several values of a name the one that came last: the latest hop's, where each adds at the end. */
export function lastValue(value: HeaderValue | undefined): SingleValue | undefined {
  return Array.isArray(value) ? value.at(-1) : (value as SingleValue | undefined);
}

export function firstFact(value: HeaderValue | undefined): string | null {
  return readText(firstValue(value));
}

export function lastFact(value: HeaderValue | undefined): string | null {
  return readText(lastValue(value));
}

/** Whether some header has a name of the pattern. */
export function hasHeader(headers: Headers, pattern: RegExp): boolean {
  return Object.keys(headers).some((name) => pattern.test(name));
}

/**
 * A number that was written as big-endian bytes of one of these lengths, or null. Where a bridge made text of the
 * bytes, they are still the same unless it put U+FFFD for some; digits are its own guess and may be of any bytes.
 */
export function readBigEndian(value: SingleValue | undefined, ...lengths: number[]): bigint | null {
  if (value === undefined || (typeof value === 'string' && /^\d+$|\uFFFD/.test(value))) return null;
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.base64, 'base64');
  return lengths.includes(bytes.length) ? BigInt(`0x${bytes.toString('hex')}`) : null;
}

/** Bytes that are no UTF-8 are read as far as they are: enough for people, who are to read it. */
function readText(value: SingleValue | undefined): string | null {
  return toFact(typeof value === 'object' ? Buffer.from(value.base64, 'base64').toString('utf8') : value);
}

type Reader = (name: string) => string | null;

let latest: { readonly headers: Headers; readonly read: Reader } | undefined;

/**
 * Reads the last value of a name in any case: HTTP delivers names in lower case, others as they were written. Kept for
 * the one message that all families look at in turn.
 */
export function readerOf(headers: Headers): Reader {
  if (latest?.headers !== headers) {
    const folded = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    latest = { headers, read: (name) => lastFact(folded.get(name.toLowerCase())) };
  }
  return latest.read;
}

/** Headers from the members of a JSON object: text as it is, all else as it is written there, null left out. */
export function readJsonHeaders(members: ReadonlyMap<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(
    [...(members ?? [])]
      .filter(([, source]) => source !== 'null')
      .map(([name, source]) => [name, source.startsWith('"') ? String(parseJson(source)) : source]),
  );
}
