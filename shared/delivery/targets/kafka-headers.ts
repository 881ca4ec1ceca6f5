import type { LeasedEvent } from '../leased-event.ts';
import { isAttribute, type KeyedHeaders, listBytes, listMessageHeaders } from './message-headers.ts';

export type RecordHeader = readonly [name: string, value: Buffer];

/**
 * Returns the original message's headers as Kafka has them: bytes, with repeats in their order. A CloudEvent
 * is in binary mode, with the names of the Kafka binding (1.0.2, 3.2).
 */
export function restoreRecordHeaders(event: KeyedHeaders & Pick<LeasedEvent, 'contentType'>): RecordHeader[] {
  const isPlainCloudEvent = 'specversion' in event.headers;
  const isCloudEvent = isPlainCloudEvent || 'ce_specversion' in event.headers;
  const restored = listMessageHeaders(event, true)
    // The content type of a CloudEvent is the content-type header.
    .filter(([name]) => !(isCloudEvent && /^(ce_)?datacontenttype$/.test(name)))
    .flatMap(([name, value]) =>
      listBytes(value).map(
        (bytes) => [isPlainCloudEvent && isAttribute(name) ? `ce_${name}` : name, bytes] as const,
      ),
    );
  const hasContentType = restored.some(([name]) => /^content-type$/i.test(name));
  if (!isCloudEvent || hasContentType || event.contentType === null) return restored;
  return [...restored, ['content-type', Buffer.from(event.contentType)]];
}
