import { isCredential } from '../message/credential-headers.ts';
import type { Inbound } from './message.ts';

/**
 * The query of a request, which is part of what its sender says, without what only capture reads and without
 * the values of credentials. Null for none.
 */
export function readSentQuery({ query, unsignedQuery }: Inbound): string | null {
  if (query.size === 0 && !unsignedQuery?.size) return null;
  const sent = [...query, ...(unsignedQuery ?? [])]
    .filter(([name]) => name !== 'split')
    .map(([name, value]): [string, string] => [name, isCredential(name) ? 'withheld' : value]);
  return sent.length === 0 ? null : new URLSearchParams(sent).toString();
}
