import { type CloudEvent, isCloudEvent, parseCloudEvent } from '../cloud-event.ts';
import { findTraceId, toDate, toText } from '../column-values.ts';
import { decodePercent } from '../content.ts';
import { compiledTransports, openRequest, readTransport } from '../formats/read-transport.ts';
import type { Message, ParsedInbound } from '../message.ts';

const messagePublished = 'google.cloud.pubsub.topic.v1.messagePublished';
const pubsub = compiledTransports.find(({ format }) => format.name === 'pubsub');

/**
 * A CloudEvent over HTTP. Eventarc delivers Pub/Sub messages in one, and adds only the topic.
 * https://cloud.google.com/eventarc/docs/cloudevents
 * https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md
 */
export function readCloudEvent(request: ParsedInbound): Message | undefined {
  const isDeclared = /^application\/cloudevents/i.test(request.headers['content-type'] ?? '');
  const event = readBinary(request) ?? parseCloudEvent(request, isDeclared);
  if (!event) return undefined;
  const published = event.attributes.type === messagePublished && readPublished(request, event);
  return (
    published || toMessage(event, findTraceId(event.attributes.traceparent, request.headers.traceparent))
  );
}

function readBinary({ headers, body, json }: ParsedInbound): CloudEvent | undefined {
  if (!headers['ce-id']) return undefined;
  const attributes = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('ce-'))
      .map(([name, value]) => [name.slice(3), decodePercent(value)]),
  );
  // No attribute can have this name. The request has it only if the body could not be decompressed.
  const encoding = headers['content-encoding'];
  if (encoding !== undefined) attributes['content-encoding'] = encoding;
  if (!isCloudEvent(attributes)) return undefined;
  return { attributes, body, json, contentType: toText(headers['content-type']) };
}

function readPublished(request: ParsedInbound, { attributes, body, json }: CloudEvent) {
  const { traceparent = request.headers.traceparent ?? '' } = attributes;
  const [, topic = null] = /^\/\/pubsub\.googleapis\.com\/(.*)$/s.exec(attributes.source ?? '') ?? [];
  const eventarc = { sourceKind: 'eventarc', sourceTopic: topic };
  const opened = openRequest({ ...request, body, json, headers: { traceparent } });
  const data = { ...opened, message: { ...opened.message, facts: eventarc } };
  const message = pubsub && readTransport(pubsub, data);
  return message && { ...message, facts: { ...message.facts, ...eventarc } };
}

function toMessage({ attributes, body, json, contentType }: CloudEvent, traceId: string | null): Message {
  return {
    body,
    json,
    contentType,
    headers: attributes,
    facts: {
      eventKey: `ce:${attributes.source}#${attributes.id}`,
      eventType: attributes.type ?? null,
      eventId: attributes.id ?? null,
      sourceKind: 'cloudevents',
      sourceTopic: attributes.source ?? null,
      sourceKey: toText(attributes.subject),
      traceId,
      occurredAt: toDate(attributes.time),
    },
  };
}
