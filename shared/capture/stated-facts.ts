import { withholdCredentials } from '../message/credential-headers.ts';
import type { Headers } from '../message/event.ts';
import { decodePercent } from './content.ts';
import { lastText } from './header-values.ts';
import { isRedelivery, keyFromId } from './identity.ts';
import { type FactName, type Facts, factList, type Inbound } from './message.ts';

const fields = new Map(
  factList.flatMap(([fact, [, read, , header]]): [string, readonly [FactName, typeof read]][] =>
    header === undefined ? [] : [[header, [fact, read]]],
  ),
);

/** Headers of every redelivery, which a consumer may pass on, and the signature: none of them is a fact. */
const ours = new Set(['dlo-signature', 'dlo-attempt', 'dlo-damaged']);

/** `dlo-` headers: names in lower case, and texts that are not empty. */
export type Stated = readonly (readonly [name: string, text: string])[];

/**
 * A `dlo-` header that is read may be percent-encoded UTF-8: many HTTP clients send no other text than ASCII.
 * HTTP has the attributes of a CloudEvent so.
 */
export function decodeHeaders(headers: Inbound['headers'], isRead: boolean): Inbound['headers'] {
  const isEvent = 'ce-specversion' in headers;
  const isEncoded = (name: string) =>
    (isRead && name.startsWith('dlo-')) || (isEvent && name.startsWith('ce-'));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isEncoded(name) ? decodePercent(value) : value]),
  );
}

/** The `dlo-` headers that state facts, or would, without those of a redelivery. */
export function listStated(headers: Headers): Stated {
  const stated: [string, string][] = [];
  for (const key in headers) {
    if (!/^dlo-/i.test(key)) continue;
    const [name, text] = [key.toLowerCase(), lastText(headers[key]) ?? ''];
    const isOurs = ours.has(name) || (name === 'dlo-event-id' && isRedelivery(text));
    if (text !== '' && !isOurs) stated.push([name, text]);
  }
  return stated;
}

/** Then the request is a report in another form. */
export function describesFailure(stated: Stated): boolean {
  return stated.some(([name]) => name !== 'dlo-event-id' && fields.has(name));
}

/** By it requests with the same body differ. */
export function printStated(stated: Stated): string {
  const others = stated.filter(([name]) => name !== 'dlo-event-id');
  return others.length === 0 ? '' : JSON.stringify(others.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The facts that a message does not have itself; `ignored` are the headers that are unknown, cannot be used
 * or contradict it.
 */
export function readStated(message: Omit<Facts, 'eventKey'> & Partial<Facts>, stated: Stated) {
  const facts: Record<string, unknown> = {};
  const ignored = stated.filter(([name, text]) => {
    const [fact, read] = fields.get(name) ?? [];
    const value = read?.(text) ?? null;
    if (fact === undefined || value === null) return true;
    facts[fact] ??= message[fact] ?? value;
    return String(facts[fact]) !== String(value);
  });
  const { eventId, sourceTopic } = facts as Partial<Facts>;
  return {
    facts: {
      ...(message.sourceTopic === null && { topicType: message.topicType ?? sourceTopic ?? null }),
      ...(facts as Partial<Facts>),
      ...(eventId && eventId !== message.eventId && { eventKey: keyFromId(eventId) }),
    },
    ignored,
  };
}

/** Part of what a sender says, without the values of credentials. */
export function readSentQuery({ query }: Inbound): string | null {
  return query.size === 0 ? null : new URLSearchParams(withholdCredentials([...query])).toString();
}
