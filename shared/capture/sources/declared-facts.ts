import type { HeaderValue } from '../../events/event.ts';
import { keyFromId } from '../identity.ts';
import type { Facts } from '../message.ts';
import type { Source } from './find-source.ts';
import { type Placed, readPlaces } from './read-places.ts';

/** The facts that are where a source says that they are: they come before all that is read otherwise. */
export function readDeclared(source: Source, placed: Placed): Partial<Facts> {
  const [id, type] = [readPlaces(source.id, placed), readPlaces(source.type, placed, '.')];
  const [key, consumer] = [readPlaces(source.key, placed), readPlaces(source.consumer, placed)];
  const reason = readPlaces(source.reason, placed, ': ');
  return {
    ...(id !== null && { eventId: id, eventKey: keyFromId(id) }),
    ...(type !== null && { eventType: type, isTypeTold: true }),
    ...(key !== null && { sourceKey: key, sourceKeyBase64: null }),
    ...(consumer !== null && { consumer, consumerGroup: consumer }),
    ...(reason !== null && { errorReason: reason }),
  };
}

type Headers = Readonly<Record<string, HeaderValue>>;

/**
 * The headers of a message with those of its request that the source keeps, and without those that it withholds. A name that
 * ends with `*` stands for all that begin so.
 */
export function chooseHeaders(
  source: Source | undefined,
  headers: Headers,
  sent: Readonly<Record<string, string>>,
): Headers {
  if (!source) return headers;
  const { keepHeaders, withholdHeaders } = source;
  const kept = Object.entries(sent).filter(([name]) => matches(keepHeaders, name));
  const all: [string, HeaderValue][] = [...kept, ...Object.entries(headers)];
  return Object.fromEntries(all.filter(([name]) => !matches(withholdHeaders, name)));
}

function matches(patterns: readonly string[], name: string): boolean {
  const wanted = name.toLowerCase();
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? wanted.startsWith(pattern.slice(0, -1)) : wanted === pattern,
  );
}
