import { hash } from 'node:crypto';
import { toText } from './column-values.ts';
import { firstText, type Headers, readHeader } from './header-values.ts';

/**
 * Headers by which applications give a message an id that survives republishing. HTTP has them in lower case.
 */
export const idHeaders = ['event_id', 'eventId', 'event-id', 'eventid'];

/** The id that the application gave its message, or null. */
export function findApplicationId(headers: Headers): string | null {
  for (const name of idHeaders) {
    const id = firstText(headers[name]);
    if (id !== null) return id;
  }
  return findSenderId(headers);
}

/**
 * The `dlo-event-id` by which a sender names its own event, or null: any text that is not that of a
 * redelivery.
 */
export function findSenderId(headers: Headers): string | null {
  const id = readHeader(headers, 'dlo-event-id');
  return id !== null && redelivery.test(id) ? null : id;
}

/**
 * The value of `dlo-event-id` if it is that of a redelivery, `<id>.<token>`, else null. A claim: the
 * statement that stores the capture verifies it.
 */
export function toRedelivery(id: string | null | undefined): string | null {
  return id && redelivery.test(id) ? id : null;
}

const redelivery = /^\d{1,18}\.[\da-f]{32}$/;

/**
 * The delivery id of a request whose sender repeats it with the same `Idempotency-Key`, or null. The parts of
 * a batch have keys of their own.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function findIdempotencyKey(headers: Readonly<Record<string, string>>): string | null {
  const key = toText(headers['idempotency-key']);
  return key === null ? null : `idempotency:${key}`;
}

/** The event key of a CloudEvent, or undefined without one of its attributes. */
export function keyFromCloudEvent(source: string | null, id: string | null): string | undefined {
  return source && id ? `ce:${source}#${id}` : undefined;
}

/** The event key from an application's id. */
export function keyFromId(id: string): string {
  return `id:${id}`;
}

/** The event key of a message without any id: messages with equal content are one event. */
export function keyFromContent(content: readonly string[] | Buffer): string {
  return `sha256:${digest(content instanceof Buffer ? content : JSON.stringify(content))}`;
}

/**
 * Which publication failed, as far as it is known: when its broker stored it, and its coordinates. Null for
 * neither.
 */
export function toPublication(publishedAt: Date | null, coordinates: string | null = null): string | null {
  if (publishedAt === null && coordinates === null) return null;
  return `${publishedAt?.getTime() ?? ''}@${coordinates?.replaceAll('@', '%40') ?? ''}`;
}

/** The first 24 hex digits of SHA-256. */
export function digest(content: string | Buffer): string {
  return hash('sha256', content).slice(0, 24);
}
