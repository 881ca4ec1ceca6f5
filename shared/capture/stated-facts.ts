import { isObject } from '../json/parse-json.ts';
import { toCount, toErrorKind, toPriority, toRetryAfter, toText } from './column-values.ts';
import { decodePercent } from './decode-bytes.ts';
import { type Headers, lastText } from './header-values.ts';
import { keyFromContent, keyFromId, toRedelivery } from './identity.ts';
import type { Facts } from './message.ts';

type TextHeaders = Readonly<Record<string, string>>;

/** The facts that a sender can state in headers, whatever the body. */
const fields = {
  'dlo-event-type': ['eventType', toText],
  'dlo-event-id': ['eventId', toText],
  'dlo-error-reason': ['errorReason', toText],
  'dlo-error-class': ['errorClass', toText],
  'dlo-error-kind': ['errorKind', toErrorKind],
  'dlo-consumer-group': ['consumerGroup', toText],
  'dlo-topic': ['sourceTopic', toText],
  'dlo-key': ['sourceKey', toText],
  'dlo-retry-after': ['retryAfter', toRetryAfter],
  'dlo-max-retries': ['maxRetries', toCount],
  'dlo-priority': ['priority', toPriority],
} as const satisfies Record<string, readonly [keyof Facts, (text: string) => unknown]>;

/** Headers of every redelivery, which a consumer may pass on, and the signature: none of them is a fact. */
const ours = new Set(['dlo-signature', 'dlo-attempt', 'dlo-damaged']);

/** Facts before their event has a key. */
type Draft = Omit<Facts, 'eventKey' | 'consumer' | 'isTypeTold' | 'redelivery' | 'attempt'> & {
  readonly eventKey?: string;
  readonly consumer?: string | null;
  readonly isTypeTold?: boolean | undefined;
  readonly body: Buffer;
};

type Completed = Pick<Facts, 'eventKey' | 'isTypeTold' | 'metadata' | 'ignored'>;

/** `dlo-` headers: names in lower case, and texts that are not empty. */
export type Stated = readonly (readonly [name: string, text: string])[];

/**
 * Decodes the `dlo-` headers of a request: a value may be percent-encoded UTF-8, because many HTTP clients send no other
 * text than ASCII in a header.
 */
export function decodeStated(headers: TextHeaders): TextHeaders {
  if (!Object.keys(headers).some(isStated)) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isStated(name) ? decodePercent(value) : value]),
  );
}

/** The `dlo-` headers that state facts, or would, without those of a redelivery. */
export function listStated(headers: Headers): Stated {
  const stated: [string, string][] = [];
  for (const key in headers) {
    if (!isStated(key)) continue;
    const [name, text] = [key.toLowerCase(), lastText(headers[key]) ?? ''];
    const isOurs = ours.has(name) || (name === 'dlo-event-id' && toRedelivery(text) !== null);
    if (text !== '' && !isOurs) stated.push([name, text]);
  }
  return stated;
}

/** Whether headers say more of a message than its id: then the request is a report in another form. */
export function describesFailure(stated: Stated): boolean {
  return stated.some(([name]) => name !== 'dlo-event-id' && name in fields);
}

/** Text by which two requests with the same body differ; the id decides which event they are of. */
export function printStated(stated: Stated): string {
  const others = stated.filter(([name]) => name !== 'dlo-event-id');
  return others.length === 0 ? '' : JSON.stringify(others.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Adds the facts that `dlo-` headers state, as far as the message does not say otherwise: first those among its own headers,
 * then those of its `request`. A header that is unknown, cannot be used or contradicts the message is kept in the
 * metadata, and named in `ignored`. Also completes the event key: an id and a consumer belong to it.
 */
export function addStatedFacts<D extends Draft>(
  draft: D,
  { own, request, isAlone }: { readonly own: Stated; readonly request: Stated; readonly isAlone: boolean },
): D & Completed {
  const { eventKey = keyFromContent(draft.body) } = draft;
  const isTypeTold = draft.isTypeTold ?? ![draft.sourceTopic, 'unknown'].includes(draft.eventType);
  if (own.length + request.length === 0) return { ...draft, eventKey, isTypeTold };
  const facts: Record<string, unknown> = { ...draft, isTypeTold };
  // An id names one message, so that it cannot be that of several.
  const shared = request.map(([name, text]) => [name, text, isAlone || name !== 'dlo-event-id'] as const);
  const ignored = [...own.map((each) => [...each, true] as const), ...shared].filter(
    ([name, text, isUsable]) => !(isUsable && addFact(facts, name, text)),
  );
  if (facts.eventType === 'unknown' && draft.sourceTopic === null && facts.sourceTopic !== null)
    facts.eventType = facts.sourceTopic;
  const stated = facts as D & Pick<Completed, 'isTypeTold'>;
  const kept = isObject(draft.metadata?.ignored) ? draft.metadata.ignored : {};
  const more = Object.fromEntries(ignored.map(([name, text]) => [name, text]));
  return {
    ...stated,
    eventKey:
      stated.eventId !== null && stated.eventId !== draft.eventId ? keyFromId(stated.eventId) : eventKey,
    ...(ignored.length > 0 && {
      metadata: { ...draft.metadata, ignored: { ...kept, ...more } },
      ignored: [...draft.ignored, ...Object.keys(more)],
    }),
  };
}

/** Adds a fact that is missing. Returns false for a text that is no such fact, or differs from a known one. */
function addFact(facts: Record<string, unknown>, name: string, text: string): boolean {
  const [fact, read] = fields[name as keyof typeof fields] ?? [];
  const value = read?.(text) ?? null;
  if (fact === undefined || value === null) return false;
  const isMissing = fact === 'eventType' ? facts.isTypeTold === false : (facts[fact] ?? null) === null;
  if (!isMissing) return String(facts[fact]) === String(value);
  facts[fact] = value;
  if (fact === 'eventType') facts.isTypeTold = true;
  return true;
}

function isStated(name: string): boolean {
  return /^dlo-/i.test(name);
}
