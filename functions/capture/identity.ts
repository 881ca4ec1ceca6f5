import { createHash } from 'node:crypto';
import type { HeaderValue } from '../../shared/events.ts';
import { firstValue, readerOf } from './header-value.ts';
import { toFact, toOffset } from './text.ts';

/** By these an application gives its message an id that survives republishing. HTTP has them in lower case. */
const idAttributes = ['event_id', 'eventId', 'event-id', 'eventid'];

/** The id that the application itself gave its message, or null. */
export function findApplicationId(headers: Readonly<Record<string, HeaderValue>>): string | null {
  for (const name of idAttributes) {
    const id = toFact(firstValue(headers[name]));
    if (id !== null) return id;
  }
  return null;
}

/** The `dlo-event-id` that a redelivery carried and its failure brings back, or null. A claim, to be checked. */
export function findRedeliveredId(headers: Readonly<Record<string, HeaderValue>>): string | null {
  return toOffset(readerOf(headers)('dlo-event-id'));
}

/**
 * The upper rungs of the ladder of identities, which outlive a replay: the application's id, then that of the
 * CloudEvent which the message is.
 */
export function keyFromHeaders(
  headers: Readonly<Record<string, HeaderValue>>,
  consumer: string | null,
): string | undefined {
  const id = findApplicationId(headers);
  if (id !== null) return keyFromId(id, consumer);
  const told = readerOf(headers);
  const [source, eventId] = [told('ce-source'), told('ce-id')];
  return source && eventId ? withConsumer(`ce:${source}#${eventId}`, consumer) : undefined;
}

export function keyFromId(id: string, consumer: string | null): string {
  return withConsumer(`id:${id}`, consumer);
}

/** Two clusters may have the same topics and offsets: what is to tell them apart would be put in here. */
export function kafkaKey(
  topic: string,
  partition: number,
  offset: string,
  consumer: string | null = null,
): string {
  return withConsumer(`kafka:${topic}/${partition}/${offset}`, consumer);
}

/** One event that fails in two consumers is two failures; a redelivery to one of them is none. */
export function withConsumer(key: string, consumer: string | null): string {
  return consumer === null ? key : `${key}@${consumer}`;
}

/** The last resort: equal content is taken for the same event. */
export function keyFromContent(content: readonly string[] | Buffer): string {
  return `sha256:${digest(content instanceof Buffer ? content : JSON.stringify(content))}`;
}

/** 24 hex digits of SHA-256. */
export function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 24);
}
