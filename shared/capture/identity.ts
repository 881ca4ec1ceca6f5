import { hash } from 'node:crypto';
import type { Headers } from '../message/event.ts';
import { firstText, readHeader } from './header-values.ts';

/** Names of ids that survive republishing. HTTP has them in lower case. */
export const idHeaders = ['event_id', 'eventId', 'event-id', 'eventid'];

export function findApplicationId(headers: Headers): string | null {
  for (const name of idHeaders) {
    const id = firstText(headers[name]);
    if (id !== null) return id;
  }
  return findSenderId(headers);
}

/** Any `dlo-event-id` but that of a redelivery. */
export function findSenderId(headers: Headers): string | null {
  const id = readHeader(headers, 'dlo-event-id');
  return id !== null && redelivery.test(id) ? null : id;
}

/**
 * The `dlo-event-id` of a redelivery, `<id>.<token>`: a claim that the statement which stores the capture
 * verifies.
 */
export function toRedelivery(id: string | null | undefined): string | null {
  return id && redelivery.test(id) ? id : null;
}

const redelivery = /^\d{1,18}\.[\da-f]{32}$/;

export function keyFromId(id: string): string {
  return `id:${id}`;
}

/** Messages without any id and with equal content are one event. */
export function keyFromContent(content: readonly string[] | Buffer): string {
  return `sha256:${digest(content instanceof Buffer ? content : JSON.stringify(content))}`;
}

/** When its broker stored a message, and where, as far as it is known. */
export function toPublication(publishedAt: Date | null, coordinates: string | null = null): string | null {
  if (publishedAt === null && coordinates === null) return null;
  return `${publishedAt?.getTime() ?? ''}@${coordinates?.replaceAll('@', '%40') ?? ''}`;
}

/** The first 24 hex digits of SHA-256. */
export function digest(content: string | Buffer): string {
  return hash('sha256', content).slice(0, 24);
}
