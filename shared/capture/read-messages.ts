import { transportFormats, valueFormat } from '../message/formats/transports.ts';
import { describeContent, toBinary } from './cloud-event.ts';
import { type CompiledFormat, compileFormat, readFacts, readTextFact } from './formats/compile-format.ts';
import { type Brought, listDeclared, openRequest, takeMessage } from './formats/take-message.ts';
import { lastText, maxHeaders } from './header-values.ts';
import { keyFromContent, openHeaders } from './identity.ts';
import type { Facts, Message, ParsedInbound } from './message.ts';
import { isDeclaredReport, readReport, report } from './report.ts';
import { splitBatch } from './split-batch.ts';
import { readMessageHeaders, readUnsignedHeaders } from './stored-headers.ts';

const value = compileFormat(valueFormat);

/** In order of precedence: headers of an unwrapped push are there beside those of its CloudEvent. */
const transports = transportFormats.map(compileFormat);
transports.splice(transports.findLastIndex(({ format }) => format.name === 'cloudevents') + 1, 0, report);

export const transportNames: readonly string[] = transports.map(({ format }) => format.name);

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
  const event = toBinary(request);
  for (const each of listDeclared(transports, request)) {
    const { name: transport } = each.format;
    const from = event && transport === 'cloudevents' ? openRequest(event) : opened;
    const brought = takeMessage(each, from);
    const message = each === report ? readReport(opened) : brought && describeMessage(each, from, brought);
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

/** The body as the message, also one that is declared as a report but is none. */
function readWhole(request: ParsedInbound): Found {
  const opened = openRequest(request);
  const headers = readMessageHeaders(request.headers);
  const message = describeMessage(value, opened, { ...request, headers });
  // A signature of version 1 does not cover it.
  const contentType = request.sentType || request.unsignedHeaders?.['content-type'] || null;
  if (!isDeclaredReport(request)) return { ...message, contentType, transport: 'value' };
  const facts: Partial<Facts> = { ...message.facts, sourceKind: 'report', origin: 'report' };
  return { ...message, contentType, transport: 'report', facts };
}

/** The id of a transport comes after that of the application. */
function describeMessage(compiled: CompiledFormat, opened: Message, brought: Brought): Message {
  const { headers: sent, unsignedHeaders, readEncoded } = opened.request;
  const { traceparent } = opened.headers;
  const plain = openHeaders(brought.headers, {}, traceparent);
  const type =
    (compiled.facts.has('body') ? undefined : sent['content-type']) ||
    readTextFact(compiled, 'contentType', { ...opened, attributes: plain.named }) ||
    lastText(plain.named.get('content-type'));
  const content = readEncoded(brought, type, plain.named.get('content-encoding'));
  const isBinary = (plain.named.get('ce-specversion') ?? plain.named.get('ce_specversion')) !== undefined;
  const event = isBinary ? undefined : describeContent(content, type);
  const { facts, ...own } = event ? openHeaders(brought.headers, event.attributes, traceparent) : plain;
  const inner = { ...opened, ...own, named: opened.named, attributes: own.named };
  const unsigned = compiled.headers === undefined ? unsignedHeaders : undefined;
  return {
    ...{ request: opened.request, ...content, ...own },
    ...(unsigned && { unsignedHeaders: readUnsignedHeaders(unsigned) }),
    contentType: event?.contentType ?? type,
    facts: { ...facts, ...readFacts(compiled, inner) },
  };
}
