import { toDateFromMillis, toText } from '../column-values.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { keyFromHeaders } from '../identity.ts';
import type { Message, ParsedInbound } from '../message.ts';

const propertyPrefix = 'pulsarproperties-';

/**
 * Pulsar's HTTP sink: the value is the body, everything else is in headers.
 * https://pulsar.apache.org/docs/io-http-sink
 */
export function readPulsarRecord(request: ParsedInbound): Message[] | undefined {
  const topic = toText(request.headers.pulsartopic);
  const messageId = toText(request.headers.pulsarmessageid);
  if (topic === null) return undefined;
  const headers = Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => name.startsWith(propertyPrefix))
      .map(([name, value]) => [name.slice(propertyPrefix.length), value]),
  );
  const facts = readHeaderFacts(headers, request.headers.traceparent);
  const applicationKey = keyFromHeaders(headers);
  const eventKey = applicationKey ?? (messageId ? `pulsar:${topic}/${messageId}` : undefined);
  const message: Message = {
    body: request.body,
    json: request.json,
    contentType: toText(request.headers['content-type']),
    headers,
    facts: {
      ...facts,
      ...(eventKey !== undefined && { eventKey }),
      deliveryId: messageId,
      eventType: facts.eventType === 'unknown' ? topic : facts.eventType,
      sourceKind: 'pulsar',
      sourceTopic: topic,
      sourceKey: toText(request.headers.pulsarkey),
      occurredAt:
        toDateFromMillis(request.headers.pulsareventtime) ??
        toDateFromMillis(request.headers.pulsarpublishtime),
    },
  };
  return [message];
}
