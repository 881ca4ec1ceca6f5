import { readHeaderFacts } from '../header-facts.ts';
import { keyFromHeaders } from '../identity.ts';
import type { Inbound, Message } from '../message.ts';
import { toFact, toMomentOfMillis } from '../text.ts';

const propertyPrefix = 'pulsarproperties-';

/**
 * Pulsar's HTTP sink: the value as the body, all else in headers.
 * https://pulsar.apache.org/docs/io-http-sink
 */
export function readPulsarRecord(request: Inbound): Message[] | undefined {
  const topic = toFact(request.headers.pulsartopic);
  const messageId = toFact(request.headers.pulsarmessageid);
  if (topic === null) return undefined;
  const headers = Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => name.startsWith(propertyPrefix))
      .map(([name, value]) => [name.slice(propertyPrefix.length), value]),
  );
  const told = readHeaderFacts(headers, request.headers.traceparent);
  const eventKey = keyFromHeaders(headers, null) ?? (messageId ? `pulsar:${topic}/${messageId}` : undefined);
  const message: Message = {
    body: request.body,
    contentType: toFact(request.headers['content-type']),
    headers,
    facts: {
      ...told,
      ...(eventKey !== undefined && { eventKey }),
      carrierId: messageId,
      eventType: told.eventType === 'unknown' ? topic : told.eventType,
      sourceKind: 'pulsar',
      sourceTopic: topic,
      sourceKey: toFact(request.headers.pulsarkey),
      occurredAt:
        toMomentOfMillis(request.headers.pulsareventtime) ??
        toMomentOfMillis(request.headers.pulsarpublishtime),
    },
  };
  return [message];
}
