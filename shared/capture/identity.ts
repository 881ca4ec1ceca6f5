import { hash } from 'node:crypto';
import { toStorableText } from '../database/storable-text.ts';
import type { Headers } from '../message/event.ts';
import { findTraceId } from './column-values.ts';
import { firstText, lastText, nameHeaders } from './header-values.ts';
import type { Facts, Named } from './message.ts';

/** Names of ids that survive republishing, in lower case. */
export const idHeaders = ['event_id', 'eventid', 'event-id'];

export function findApplicationId(named: Named): string | null {
  const ids = idHeaders.map((name) => firstText(named.get(name)));
  const sent = lastText(named.get('dlo-event-id'));
  return ids.find((id) => id !== null) ?? (sent === null || isRedelivery(sent) ? null : sent);
}

/**
 * Headers with their names in lower case, and what applications wrote into them. The key is an id that
 * survives republishing: the application's, else a CloudEvent's. The delivery's own traceparent counts only
 * if the message has none. `__TypeId__` is Spring's.
 */
export function openHeaders(headers: Headers, attributes: Headers = {}, traceparent?: unknown) {
  const named: Named = nameHeaders({ ...headers, ...attributes });
  const header = (name: string) => firstText(named.get(name));
  const attribute = (name: string) => header(`ce-${name}`) ?? header(`ce_${name}`);
  const [ownId, id, source] = [findApplicationId(named), attribute('id'), attribute('source')];
  const ofEvent = id !== null && source !== null ? `ce:${source}#${id}` : undefined;
  const ownKey = ownId === null ? ofEvent : keyFromId(ownId);
  const facts: Partial<Facts> = {
    ...(ownKey !== undefined && { eventKey: ownKey }),
    eventId: ownId ?? id,
    eventType: header('event_type') ?? header('eventtype') ?? attribute('type') ?? header('__typeid__'),
    traceId: findTraceId(
      header('googclient_traceparent'),
      header('traceparent'),
      attribute('traceparent'),
      traceparent,
    ),
  };
  return { headers, named, ownId, ownKey, facts };
}

/**
 * Whether a `dlo-event-id` is that of a redelivery, `<id>.<token>`, which the statement that stores the
 * capture verifies. Any other is the sender's own id of its event.
 */
export function isRedelivery(id: string): boolean {
  return /^[1-8]?\d{1,18}\.[\da-f]{32}$/.test(id);
}

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

/**
 * An ordering key that PostgreSQL cannot store keeps its bytes in a second column, unless a bridge
 * lost bytes of it: what is left is not the key of the message.
 */
export function toStorableKey(
  { sourceKey, sourceKeyBase64 }: Pick<Facts, 'sourceKey' | 'sourceKeyBase64'>,
  isBridged: boolean,
) {
  const storable = sourceKey === null ? null : toStorableText(sourceKey);
  if (sourceKey === null || storable === sourceKey) return { sourceKey, sourceKeyBase64 };
  const isLost = isBridged && sourceKey.includes('\uFFFD');
  const bytes = sourceKeyBase64 ?? Buffer.from(sourceKey).toString('base64');
  return { sourceKey: storable, sourceKeyBase64: isLost ? null : bytes };
}

/** The key of a message: an @ separates it from its consumer, and PostgreSQL stores none of the others. */
export function toMessageKey(key: string): string {
  const toCode = (each: string) => `%${each.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return key.replaceAll(/[%@\0]|\p{Surrogate}/gu, toCode);
}
