import { cloudEventFormat } from '../../message/formats/transports.ts';
import { parseCloudEvent } from '../cloud-event.ts';
import { decodePercent } from '../content.ts';
import { compileFormat, matches } from '../formats/compile-format.ts';
import { compiledTransports, openRequest, readTransport } from '../formats/read-transport.ts';
import type { Message, Opened, ParsedInbound } from '../message.ts';

const messagePublished = 'google.cloud.pubsub.topic.v1.messagePublished';
const pubsub = compiledTransports.find(({ format }) => format.name === 'pubsub');
const cloudEvent = compileFormat(cloudEventFormat);

/**
 * A CloudEvent over HTTP. Eventarc delivers Pub/Sub messages in one, and adds only the topic.
 * https://cloud.google.com/eventarc/docs/cloudevents
 */
export function readCloudEvent(request: ParsedInbound, opened: Opened): Message | undefined {
  const event = matches(cloudEvent, opened) ? decodeAttributes(request) : toBinary(request);
  if (!event) return undefined;
  const { 'idempotency-key': _, ...headers } = event.headers;
  const isPublished = headers['ce-type'] === messagePublished;
  const published = isPublished ? readPublished(event) : undefined;
  return published ?? readTransport(cloudEvent, openRequest({ ...event, headers }));
}

function decodeAttributes({ headers, ...request }: ParsedInbound): ParsedInbound {
  const decode = ([name, value]: [string, string]) => [
    name,
    name.startsWith('ce-') ? decodePercent(value) : value,
  ];
  return { ...request, headers: Object.fromEntries(Object.entries(headers).map(decode)) };
}

/** One in structured mode, as its sender would have sent it in binary mode. */
function toBinary(request: ParsedInbound): ParsedInbound | undefined {
  const isDeclared = /^application\/cloudevents/i.test(request.headers['content-type'] ?? '');
  const event = parseCloudEvent(request, isDeclared);
  if (!event) return undefined;
  const { attributes, contentType, ...content } = event;
  const own = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]);
  const headers = { ...request.headers, ...Object.fromEntries(own), 'content-type': contentType ?? '' };
  return { ...request, ...content, headers };
}

function readPublished({ headers, ...event }: ParsedInbound): Message | undefined {
  const traceparent = headers['ce-traceparent'] ?? headers.traceparent ?? '';
  const [, topic = null] = /^\/\/pubsub\.googleapis\.com\/(.*)$/s.exec(headers['ce-source'] ?? '') ?? [];
  const eventarc = { sourceKind: 'eventarc', sourceTopic: topic };
  const opened = openRequest({ ...event, headers: { traceparent } });
  const data = { ...opened, message: { ...opened.message, facts: eventarc } };
  const message = pubsub && readTransport(pubsub, data);
  return message && { ...message, facts: { ...message.facts, ...eventarc } };
}
