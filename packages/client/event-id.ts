import { readFirstHeader, readHeader } from './header-texts.ts';
import type { Headers } from './message-facts.ts';

/** The id that the application gave its message, in a header that capture reads, too. */
export function findApplicationId(headers: Headers): string | undefined {
  return readFirstHeader(headers, ['event_id', 'eventid', 'event-id', 'ce-id', 'ce_id']);
}

/** The id and the attempt of a redelivery; undefined for any other message. */
export function readRedelivery(
  headers: Headers,
): { readonly eventId: string; readonly attempt: number } | undefined {
  const [, eventId] = /^([1-8]?\d{1,18})\.[\da-f]{32}$/.exec(readHeader(headers, 'dlo-event-id') ?? '') ?? [];
  return eventId === undefined
    ? undefined
    : { eventId, attempt: Number(readHeader(headers, 'dlo-attempt') ?? 1) };
}

/**
 * The id of a message that each of its deliveries has: the one of the application, else that of the event
 * that is redelivered. Undefined without either.
 */
export function eventIdOf(headers: Headers): string | undefined {
  const redelivery = readRedelivery(headers);
  return findApplicationId(headers) ?? (redelivery && `dlo:${redelivery.eventId}`);
}
