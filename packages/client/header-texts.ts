import { isUtf8 } from 'node:buffer';
import type { Headers, HeaderValue, SingleValue } from './message-facts.ts';

/** The last text of a header whose name may have any case; undefined without one. */
export function readHeader(headers: Headers, name: string): string | undefined {
  const found = Object.keys(headers).findLast((each) => each.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  const last = isList(value) ? value.at(-1) : value;
  return typeof last === 'string' && last !== '' ? last : undefined;
}

/** The text of the first of these headers that has one. */
export function readFirstHeader(headers: Headers, names: readonly string[]): string | undefined {
  return names.map((name) => readHeader(headers, name)).find((text) => text !== undefined);
}

/** A header's value from its bytes: text if they are UTF-8 that PostgreSQL can store, else base64. */
export function fromBytes(value: Uint8Array | string): SingleValue {
  const bytes = Buffer.from(value);
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : { base64: bytes.toString('base64') };
}

/** Headers from pairs, whose names may repeat. */
export function fromEntries(entries: Iterable<readonly [string, SingleValue]>): Headers {
  const values = new Map<string, SingleValue[]>();
  for (const [name, value] of entries) values.set(name, [...(values.get(name) ?? []), value]);
  const headers = [...values].map(([name, [first, ...more]]): [string, HeaderValue] => [
    name,
    more.length === 0 && first !== undefined ? first : (values.get(name) ?? []),
  ]);
  return Object.fromEntries(headers);
}

function isList(value: HeaderValue | undefined): value is readonly SingleValue[] {
  return Array.isArray(value);
}
