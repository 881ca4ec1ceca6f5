import { type CloudEvent, isCloudEvent, parseCloudEvent } from '../cloud-event.ts';
import { findTraceId, toDate, toText } from '../column-values.ts';
import { decodePercent } from '../decode-bytes.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { readPushBody } from './pubsub-push.ts';

const messagePublished = 'google.cloud.pubsub.topic.v1.messagePublished';
const topicPrefix = '//pubsub.googleapis.com/';

/**
 * A CloudEvent over HTTP, in binary or structured mode; a batch is split before. Eventarc, Eventarc Advanced,
 * Knative, Dapr and Debezium Server send these.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md
 */
export function readCloudEvent(request: ParsedInbound): Message[] | undefined {
  const isDeclared = /^application\/cloudevents/i.test(request.headers['content-type'] ?? '');
  const event = readBinary(request) ?? parseCloudEvent(request, isDeclared);
  if (!event) return undefined;
  const { traceparent } = request.headers;
  return [readPublished(event, traceparent) ?? toMessage(event, traceparent)];
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

/**
 * Eventarc delivers Pub/Sub messages: the failed message is inside, and Eventarc adds only the topic.
 * https://cloud.google.com/eventarc/docs/cloudevents
 */
function readPublished(
  { attributes, json }: CloudEvent,
  traceparent: string | undefined,
): Message | undefined {
  if (attributes.type !== messagePublished) return undefined;
  const source = attributes.source ?? '';
  const sourceTopic = source.startsWith(topicPrefix) ? source.slice(topicPrefix.length) : null;
  const message = readPushBody(json, attributes.traceparent ?? traceparent, sourceTopic);
  return message && { ...message, facts: { ...message.facts, sourceKind: 'eventarc', sourceTopic } };
}

function toMessage(
  { attributes, body, json, contentType }: CloudEvent,
  traceparent: string | undefined,
): Message {
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
      traceId: findTraceId(attributes.traceparent, traceparent),
      occurredAt: toDate(attributes.time),
    },
  };
}
