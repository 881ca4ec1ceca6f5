import { type CloudEvent, isCloudEvent, parseCloudEvent } from '../cloudevent-json.ts';
import type { Inbound, Message } from '../message.ts';
import { findTraceId, parseBody, toFact, toMoment } from '../text.ts';
import { readPushBody } from './pubsub-push.ts';

const messagePublished = 'google.cloud.pubsub.topic.v1.messagePublished';
const topicPrefix = '//pubsub.googleapis.com/';

/**
 * A CloudEvent over HTTP, binary or structured; batches come here one by one. Eventarc, Eventarc Advanced, Knative,
 * Dapr and Debezium Server send these.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md
 */
export function readCloudEvent(request: Inbound): Message[] | undefined {
  const event = readBinary(request) ?? parseCloudEvent(request.body);
  if (!event) return undefined;
  const { traceparent } = request.headers;
  return [readPublished(event, traceparent) ?? toMessage(event, traceparent)];
}

function readBinary({ headers, body }: Inbound): CloudEvent | undefined {
  if (!headers['ce-id']) return undefined;
  const attributes = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('ce-'))
      .map(([name, value]) => [name.slice(3), decodePercent(value)]),
  );
  if (!isCloudEvent(attributes)) return undefined;
  return { attributes, data: body, contentType: toFact(headers['content-type']) };
}

/**
 * Eventarc is a carrier of Pub/Sub messages: what failed is inside, and its topic is all that Eventarc adds.
 * https://cloud.google.com/eventarc/docs/cloudevents
 */
function readPublished(
  { attributes, data }: CloudEvent,
  traceparent: string | undefined,
): Message | undefined {
  if (attributes.type !== messagePublished) return undefined;
  const source = attributes.source ?? '';
  const sourceTopic = source.startsWith(topicPrefix) ? source.slice(topicPrefix.length) : null;
  const message = readPushBody(parseBody(data), attributes.traceparent ?? traceparent, sourceTopic);
  return message && { ...message, facts: { ...message.facts, sourceKind: 'eventarc', sourceTopic } };
}

function toMessage({ attributes, data, contentType }: CloudEvent, traceparent: string | undefined): Message {
  return {
    body: data,
    contentType,
    headers: attributes,
    facts: {
      eventKey: `ce:${attributes.source}#${attributes.id}`,
      eventType: attributes.type ?? 'unknown',
      eventId: attributes.id ?? null,
      sourceKind: 'cloudevents',
      sourceTopic: attributes.source ?? null,
      sourceKey: toFact(attributes.subject),
      traceId: findTraceId(attributes.traceparent, traceparent),
      occurredAt: toMoment(attributes.time),
    },
  };
}

/** Values of ce- headers are percent-encoded UTF-8, decoded once; a value that is not is taken as it stands. */
function decodePercent(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
