import { isCredential } from '../message/credential-headers.ts';
import type { HeaderValue } from '../message/event.ts';
import { toHeaderValue } from './header-values.ts';
import type { Inbound } from './message.ts';

type Headers = Readonly<Record<string, HeaderValue>>;

/**
 * The headers of a message as they are stored: with those of its request that the source keeps, without those
 * that it withholds, and without credentials that it does not keep, whose names are returned, null for none.
 * In `keepHeaders` and `withholdHeaders` a name that ends with `*` stands for all that begin so.
 */
export function chooseHeaders(
  { source, headers: sent, unsignedHeaders, latin1Headers = [] }: Inbound,
  headers: Headers,
): { readonly headers: Headers; readonly withheld: readonly string[] | null } {
  const names = Object.keys(headers);
  // Most messages are stored as they came.
  if (!source && latin1Headers.length === 0 && !names.some(isCredential)) return { headers, withheld: null };
  const { keepHeaders = [], withholdHeaders = [] } = source ?? {};
  const kept = Object.entries({ ...sent, ...unsignedHeaders }).filter(([name]) => matches(keepHeaders, name));
  const chosen = [...kept, ...Object.entries(headers)].filter(([name]) => !matches(withholdHeaders, name));
  const withheld = names.filter((name) => isCredential(name) && !matches(keepHeaders, name));
  const stored = chosen.filter(([name]) => !withheld.includes(name));
  return {
    headers: Object.fromEntries(
      stored.map(([name, value]) => [name, latin1Headers.includes(name) ? restoreBytes(value) : value]),
    ),
    withheld: withheld.length === 0 ? null : withheld,
  };
}

function restoreBytes(value: HeaderValue): HeaderValue {
  return typeof value === 'string' ? toHeaderValue(Buffer.from(value, 'latin1')) : value;
}

function matches(patterns: readonly string[], name: string): boolean {
  const wanted = name.toLowerCase();
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? wanted.startsWith(pattern.slice(0, -1)) : wanted === pattern,
  );
}
