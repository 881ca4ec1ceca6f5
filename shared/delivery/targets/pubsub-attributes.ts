import { isUtf8 } from 'node:buffer';
import type { HeaderValue } from '../../message/event.ts';
import { type LeasedEvent, restoreKey } from '../leased-event.ts';
import { continueTrace, deliveryHeaders } from './delivery-headers.ts';
import { isAttribute, type KeyedHeaders, listMessageHeaders } from './message-headers.ts';

/** Returns the original attributes and ordering key of an event, with those of a redelivery. */
export function composeAttributes(
  event: KeyedHeaders & Pick<LeasedEvent, 'traceId' | 'redelivery' | 'damaged'>,
  attempt: number,
): { readonly attributes: Readonly<Record<string, string>>; readonly orderingKey: string } {
  const ours = Object.fromEntries(deliveryHeaders(event, attempt));
  return {
    attributes: { ...restoreAttributes(event), ...continueTrace(event), ...ours },
    orderingKey: restoreOrderingKey(event),
  };
}

/**
 * An ordering key is text of up to 1 KiB. Other keys, such as binary ones of Kafka, are sent as their derived
 * text.
 */
function restoreOrderingKey(event: KeyedHeaders): string {
  const key = restoreKey(event);
  const isText = key !== null && isUtf8(key) && key.length <= 1024;
  return isText ? key.toString() : (event.sourceKey ?? '');
}

/** An attribute is one text: the last value of a repeated name, and base64 for bytes. */
function restoreAttributes(event: KeyedHeaders): Record<string, string> {
  const isCloudEvent = 'specversion' in event.headers;
  return Object.fromEntries(
    listMessageHeaders(event).map(([name, value]) => [
      isCloudEvent && isAttribute(name) ? `ce-${name}` : name,
      toAttribute(value),
    ]),
  );
}

function toAttribute(value: HeaderValue): string {
  const last = Array.isArray(value) ? (value.at(-1) ?? '') : value;
  return typeof last === 'string' ? last : last.base64;
}
