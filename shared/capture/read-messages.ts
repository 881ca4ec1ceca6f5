import { transportFormats, valueFormat } from '../message/formats/transports.ts';
import { describeContent, toBinary } from './cloud-event.ts';
import {
  type CompiledFormat,
  compileFormat,
  matches,
  readFacts,
  readTextFact,
} from './formats/compile-format.ts';
import { type Brought, openRequest, takeMessage } from './formats/take-message.ts';
import { maxHeaders } from './header-values.ts';
import { keyFromContent, openHeaders } from './identity.ts';
import type { Message, ParsedInbound } from './message.ts';
import { isDeclaredReport, readErrorMember, readReport } from './report.ts';
import { splitBatch } from './split-batch.ts';
import { readMessageHeaders, readUnsignedHeaders } from './stored-headers.ts';

/** A name for answers and logs, and a reader: undefined for a request of another transport. */
type Transport = readonly [name: string, read: (opened: Message) => Message | undefined];

const value = compileFormat(valueFormat);
const compiledTransports = transportFormats.map(compileFormat);

/** In order of precedence: headers of an unwrapped push are there beside those of its CloudEvent. */
const transports = compiledTransports.map((each): Transport => {
  const read = each.format.name === 'cloudevents' ? readCloudEvent : readTransport;
  return [each.format.name, (opened) => read(each, opened)];
});
transports.splice(2, 0, ['report', readReport]);

export const transportNames: readonly string[] = transports.map(([name]) => name);

export type Found = Message & { readonly transport: string };

/**
 * A request of no known transport is a message, or one for each part of a batch. Each is read in its turn: a
 * batch has thousands.
 */
export function readMessages(request: ParsedInbound): readonly (() => Found)[] {
  const found = findTransport(request);
  if (found) return [() => found];
  const parts = splitBatch(request);
  if (!Array.isArray(parts)) return [() => ({ ...readWhole(request), ...(parts && { unread: parts }) })];
  const tellApart = openDistinction();
  return parts.map((open) => () => {
    const part = open();
    return tellApart(findTransport(part) ?? readWhole(part));
  });
}

/** RabbitMQ's API lists each message once: of those without an id, equal ones are different messages. */
function openDistinction(): (found: Found) => Found {
  const counts = new Map<string, number>();
  return (found) => {
    if (found.transport !== 'rabbitmq' || found.facts.eventKey !== undefined) return found;
    const content = keyFromContent(found.body);
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    const eventKey = count === 0 ? content : keyFromContent([content, String(count)]);
    return { ...found, facts: { ...found.facts, eventKey } };
  };
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

/**
 * A CloudEvent over HTTP. Eventarc delivers Pub/Sub messages in one, and adds only the topic.
 * https://cloud.google.com/eventarc/docs/cloudevents
 */
function readCloudEvent(compiled: CompiledFormat, opened: Message): Message | undefined {
  const { request } = opened;
  const event = matches(compiled, opened) ? request : toBinary(request);
  if (!event) return undefined;
  const published = event.headers['ce-type'] === messagePublished ? readPublished(event) : undefined;
  return published ?? readTransport(compiled, openRequest(event));
}

function readPublished({ headers, ...event }: ParsedInbound): Message | undefined {
  const traceparent = headers['ce-traceparent'] ?? headers.traceparent ?? '';
  const [, topic = null] = /^\/\/pubsub\.googleapis\.com\/(.*)$/s.exec(headers['ce-source'] ?? '') ?? [];
  const facts = { sourceKind: 'eventarc', sourceTopic: topic };
  const opened = { ...openRequest({ ...event, headers: { traceparent } }), facts };
  const message = pubsub && readTransport(pubsub, opened);
  return message && { ...message, facts: { ...message.facts, ...facts } };
}

function readTransport(compiled: CompiledFormat, opened: Message): Message | undefined {
  const brought = matches(compiled, opened) ? takeMessage(compiled, opened) : undefined;
  return brought && describeMessage(compiled, opened, brought);
}

/** The body as the message, also one that is declared as a report but is none. */
function readWhole(request: ParsedInbound): Found {
  const opened = openRequest(request);
  const headers = readMessageHeaders(request.headers);
  const message = describeMessage(value, opened, { ...request, headers });
  // A signature of version 1 does not cover it.
  const contentType = request.sentType || request.unsignedHeaders?.['content-type'] || null;
  const isReport = isDeclaredReport(request);
  const told = isReport ? { sourceKind: 'report', origin: 'report' as const } : readErrorMember(opened);
  const facts = { ...message.facts, ...told };
  return { ...message, contentType, transport: isReport ? 'report' : 'value', facts };
}

/** The id of a transport comes after that of the application. */
function describeMessage(compiled: CompiledFormat, opened: Message, brought: Brought): Message {
  const { body, json, text, headers } = brought;
  const described = compiled.format.cloudEvents ? describeContent(brought, headers) : undefined;
  const { facts, ...own } = openHeaders(headers, described?.attributes, opened.headers.traceparent);
  const inner = { ...opened, ...own, named: opened.named, attributes: own.named };
  const unsigned = compiled.headers === undefined ? opened.request.unsignedHeaders : undefined;
  return {
    ...{ request: opened.request, body, json, text, ...own },
    ...(unsigned && { unsignedHeaders: readUnsignedHeaders(unsigned) }),
    contentType: described?.contentType ?? readTextFact(compiled, 'contentType', inner),
    facts: { ...facts, ...readFacts(compiled, inner) },
  };
}
