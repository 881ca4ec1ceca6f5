import { cloudEventFormat } from '../message/formats/transports.ts';
import { toBinary } from './cloud-event.ts';
import { compileFormat, matches } from './formats/compile-format.ts';
import { compiledTransports, openRequest, readTransport } from './formats/read-transport.ts';
import { maxHeaders } from './header-values.ts';
import { keyFromContent } from './identity.ts';
import type { Message, ParsedInbound } from './message.ts';
import { readReport, readWhole } from './report.ts';
import { splitBatch } from './split-batch.ts';

/** A name for answers and logs, and a reader: undefined for a request of another transport. */
type Transport = readonly [name: string, read: (opened: Message) => Message | undefined];

/** In order of precedence: headers of an unwrapped push are there beside those of its CloudEvent. */
const transports = compiledTransports.map(
  (each): Transport => [each.format.name, (opened) => readTransport(each, opened)],
);
transports.splice(1, 0, ['cloudevents', readCloudEvent], ['report', readReport]);

export const transportNames: readonly string[] = transports.map(([name]) => name);

export type Found = Message & { readonly transport: string };

/** A request of no known transport is a message, or one for each part of a batch. */
export function readMessages(request: ParsedInbound): Found[] {
  const found = findTransport(request);
  if (found) return [found];
  const parts = splitBatch(request);
  if (!Array.isArray(parts)) return [{ ...readWhole(request), ...(parts && { unread: parts }) }];
  return tellApart(parts.map((part) => findTransport(part) ?? readWhole(part)));
}

/** RabbitMQ's API lists each message once: of those without an id, equal ones are different messages. */
function tellApart(all: readonly Found[]): Found[] {
  const counts = new Map<string, number>();
  return all.map((found) => {
    if (found.transport !== 'rabbitmq' || found.facts.eventKey !== undefined) return found;
    const content = keyFromContent(found.body);
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    const eventKey = count === 0 ? content : keyFromContent([content, String(count)]);
    return { ...found, facts: { ...found.facts, eventKey } };
  });
}

/** The message that a request brings, by the first transport that recognizes it. */
function findTransport(request: ParsedInbound): Found | undefined {
  const opened = openRequest(request);
  const isAllowed = isDeclared(transportNames, request);
  for (const [transport, read] of transports) {
    const message = isAllowed(transport) ? read(opened) : undefined;
    if (message && hasExcess(message))
      return { ...readWhole(request), unread: 'not read: more than 1,000 headers' };
    if (message) return { ...message, request, transport };
  }
  return undefined;
}

function hasExcess({ headers }: Message): boolean {
  const values = Object.values(headers);
  return values.length > maxHeaders || values.some((each) => Array.isArray(each) && each.length > maxHeaders);
}

/** Whether a source has declared a transport or format; all are, if it has declared none of these. */
export function isDeclared(names: readonly string[], { source }: ParsedInbound): (name: string) => boolean {
  const format = source?.format ?? '';
  const isOne = format === 'message' || names.includes(format);
  return (name) => !isOne || name === format;
}

const messagePublished = 'google.cloud.pubsub.topic.v1.messagePublished';
const pubsub = compiledTransports.find(({ format }) => format.name === 'pubsub');
const cloudEvent = compileFormat(cloudEventFormat);

/**
 * A CloudEvent over HTTP. Eventarc delivers Pub/Sub messages in one, and adds only the topic.
 * https://cloud.google.com/eventarc/docs/cloudevents
 */
function readCloudEvent(opened: Message): Message | undefined {
  const { request } = opened;
  const event = matches(cloudEvent, opened) ? request : toBinary(request);
  if (!event) return undefined;
  const published = event.headers['ce-type'] === messagePublished ? readPublished(event) : undefined;
  return published ?? readTransport(cloudEvent, openRequest(event));
}

function readPublished({ headers, ...event }: ParsedInbound): Message | undefined {
  const traceparent = headers['ce-traceparent'] ?? headers.traceparent ?? '';
  const [, topic = null] = /^\/\/pubsub\.googleapis\.com\/(.*)$/s.exec(headers['ce-source'] ?? '') ?? [];
  const facts = { sourceKind: 'eventarc', sourceTopic: topic };
  const opened = { ...openRequest({ ...event, headers: { traceparent } }), facts };
  const message = pubsub && readTransport(pubsub, opened);
  return message && { ...message, facts: { ...message.facts, ...facts } };
}
