import type { HeaderValue } from '../../events/event.ts';
import { readPointer } from '../../json/json-nodes.ts';
import { listValue } from '../../json/list-value.ts';
import { isObject } from '../../json/parse-json.ts';
import { sliceElements, sliceMembers } from '../../json/slice-json.ts';
import type { Fact, Format } from '../../message/formats/format.ts';
import { toContent } from '../content.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readHeader } from '../header-values.ts';
import { keyFromContent, keyFromHeaders } from '../identity.ts';
import { sliceAt } from '../json-members.ts';
import type { Facts, Message, ParsedInbound, Transport } from '../message.ts';
import { readMessageHeaders } from '../message-headers.ts';
import { findTraceId } from '../trace-id.ts';
import { isWholly } from '../wholly.ts';
import { type CompiledFormat, compileFormat, matches, readFact, readTextFact } from './compile-format.ts';
import { describeError } from './describe-error.ts';
import type { Opened } from './places.ts';

/** An element of a request, with its text. */
type Element = { readonly json: unknown; readonly source: string };

/** The transport of a record. */
export function openTransport(format: Format): Transport {
  const compiled = compileFormat(format);
  return (request) => {
    const elements = listElements(format, request);
    if (!elements) return undefined;
    const messages = elements.map((element) => readElement(compiled, request, element));
    return messages.every((message) => message !== undefined) ? messages : undefined;
  };
}

function listElements({ each = '', around = [] }: Format, request: ParsedInbound): Element[] | undefined {
  const { json, body } = request;
  if (each === '') return [{ json, source: '' }];
  if (!isWholly(json, new Set(around))) return undefined;
  const [list] = listValue(json, readPointer(each));
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const sources = sliceElements(sliceAt(body.toString(), readPointer(each)) ?? '[]');
  return list.map((value, i) => ({ json: value, source: sources[i] ?? '' }));
}

function readElement(
  compiled: CompiledFormat,
  request: ParsedInbound,
  { json, source }: Element,
): Message | undefined {
  const { format } = compiled;
  const message: Message = { body: request.body, json, contentType: null, headers: {}, facts: {} };
  // Those of a request are in lower case.
  const named = { get: (name: string) => request.headers[name], size: 1 };
  const opened = { message, named };
  if (!matches(compiled, opened)) return undefined;
  const text = source === '' && format.takes !== undefined ? request.body.toString() : source;
  const headers = readHeaders(format, request, { json, source: text });
  const content =
    format.takes === undefined
      ? request
      : toContent(readBody({ json, source: text }, readPointer(format.takes)));
  const type = readHeader(format.takes === undefined ? request.headers : headers, 'content-type');
  return {
    body: content.body,
    json: content.json,
    contentType: compiled.facts.has('contentType') ? readTextFact(compiled, 'contentType', opened) : type,
    headers,
    facts: readFacts(compiled, withExactNumbers(opened, text), {
      headers,
      traceparent: request.headers.traceparent,
      body: content.body,
    }),
  };
}

type Sent = Pick<Message, 'headers' | 'body'> & { readonly traceparent: string | undefined };

function readFacts(compiled: CompiledFormat, opened: Opened, sent: Sent): Partial<Facts> {
  const { name, scheme = name } = compiled.format;
  const text = (fact: Fact) => readTextFact(compiled, fact, opened);
  const own = readHeaderFacts(sent.headers, sent.traceparent);
  const applicationKey = keyFromHeaders(sent.headers);
  const stated = own.eventType === 'unknown' ? null : own.eventType;
  const { errorReason } = describeError(compiled, opened);
  return {
    ...own,
    eventKey: applicationKey ?? identify(compiled, opened, scheme) ?? keyFromContent(sent.body),
    deliveryId: text('delivery'),
    eventType: text('type') ?? stated ?? text('topicType') ?? 'unknown',
    ...(errorReason !== null && { errorReason }),
    sourceKind: name,
    sourceTopic: text('topic'),
    sourceKey: text('key'),
    ...(compiled.facts.has('scope') && { consumer: applicationKey === undefined ? null : text('scope') }),
    sourceAttempts: (readFact(compiled, 'attempts', opened) as number | null | undefined) ?? null,
    traceId: findTraceId(text('trace')) ?? own.traceId,
    occurredAt: (readFact(compiled, 'time', opened) as Date | null | undefined) ?? null,
  };
}

/** The last part of an identity is the id; those before it are its scope. */
function identify(compiled: CompiledFormat, opened: Opened, scheme: string): string | undefined {
  const id = compiled.facts.get('identity')?.at(-1);
  const has = id?.some(({ raw, convert }) => raw(opened).some((value) => (convert(value) ?? null) !== null));
  return has ? `${scheme}:${readTextFact(compiled, 'identity', opened)}` : undefined;
}

/** Text is the body itself, a Buffer is printed as its bytes, and JSON is kept as written. */
function readBody({ json, source }: Element, tokens: readonly string[]): Buffer {
  const [value] = listValue(json, tokens);
  if (typeof value === 'string' && value.isWellFormed()) return Buffer.from(value);
  const bytes = isObject(value) && value.type === 'Buffer' ? value.data : undefined;
  if (Array.isArray(bytes) && bytes.every(Number.isInteger)) return Buffer.from(bytes);
  return Buffer.from(sliceAt(source, tokens) ?? '');
}

/** The headers of a message: those of its request, those of one prefix, or attributes in its JSON. */
function readHeaders(
  { headers: at }: Format,
  request: ParsedInbound,
  { json, source }: Element,
): Readonly<Record<string, HeaderValue>> {
  if (at === undefined) return readMessageHeaders(request.headers);
  if (!at.startsWith('/')) {
    const own = Object.entries(request.headers).filter(([name]) => name.startsWith(at));
    return Object.fromEntries(own.map(([name, value]) => [name.slice(at.length), value]));
  }
  const [attributes] = listValue(json, readPointer(at));
  if (!isObject(attributes)) return {};
  const sources = sliceMembers(sliceAt(source, readPointer(at)) ?? '{}')[0];
  const named = Object.entries(attributes).filter(([, value]) => value !== null);
  return Object.fromEntries(named.map(([name, value]) => [name, readAttribute(value, sources?.get(name))]));
}

/**
 * A text; `{"dataType", "stringValue" or "binaryValue"}` of SQS, in capitals from ReceiveMessage; `{"Type",
 * "Value"}` of SNS; any other value as its JSON.
 */
function readAttribute(value: unknown, source = ''): HeaderValue {
  if (typeof value === 'string') return value;
  const { Type, Value, ...own } = isObject(value) ? value : {};
  const bytes = Type === 'Binary' ? Value : (own.binaryValue ?? own.BinaryValue);
  if (typeof bytes === 'string') return { base64: bytes };
  const text = own.stringValue ?? own.StringValue ?? Value;
  return typeof text === 'string' ? text : source;
}

/** The numbers of an object with all their digits, as text: a parsed one may have lost its last. */
function withExactNumbers(opened: Opened, source: string): Opened {
  const { json } = opened.message;
  const members = isObject(json) && source !== '' ? sliceMembers(source)[0] : undefined;
  if (!members) return opened;
  const exact = Object.entries(json as object).map(([name, value]) => [
    name,
    typeof value === 'number' ? members.get(name) : value,
  ]);
  return { ...opened, message: { ...opened.message, json: Object.fromEntries(exact) } };
}
