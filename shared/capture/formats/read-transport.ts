import type { Fact } from '../../message/formats/format.ts';
import { transportFormats, valueFormat } from '../../message/formats/transports.ts';
import { describeContent } from '../cloud-event.ts';
import { type Content, toContent } from '../content.ts';
import { decodePercent } from '../decode-bytes.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { findHeader, type Headers } from '../header-values.ts';
import type { Message, Opened, ParsedInbound } from '../message.ts';
import { readMessageHeaders, readUnsignedHeaders } from '../message-headers.ts';
import { type CompiledFormat, compileFormat, matches, readTextFact } from './compile-format.ts';
import { readColumns, readMetadata } from './read-failure.ts';
import { readHeaders } from './read-headers.ts';

/** The transports that are records, in order of precedence. */
export const compiledTransports: readonly CompiledFormat[] = transportFormats.map(compileFormat);
const value = compileFormat(valueFormat);

export function openRequest(request: ParsedInbound): Opened {
  const { headers, body, json } = request;
  const named = { get: (name: string) => headers[name], size: 1 };
  const message = { body, json, contentType: headers['content-type'] || null, headers, facts: {} };
  return { message, named, sent: request };
}

/** Reads the message of a request by the record of its transport; undefined for a request of another one. */
export function readTransport(compiled: CompiledFormat, opened: Opened): Message | undefined {
  if (!matches(compiled, opened)) return undefined;
  const content = readBody(compiled, opened);
  const headers = readHeadersAt(compiled, opened);
  return content && headers && describeMessage(compiled, opened, { content, headers });
}

/**
 * The body as the message, whatever it is. Without an id the message has the key `contentKey`, or one from
 * its content.
 */
export function readValue(request: ParsedInbound, contentKey?: string): Message {
  const { unsignedHeaders } = request;
  const opened = openRequest(request);
  const { 'idempotency-key': _, ...sent } = request.headers;
  const { facts, ...message } = describeMessage(value, opened, {
    content: opened.message,
    headers: readMessageHeaders(sent),
  });
  return {
    ...message,
    contentType: message.contentType ?? (unsignedHeaders?.['content-type'] || null),
    ...(unsignedHeaders && { unsignedHeaders: readUnsignedHeaders(unsignedHeaders) }),
    facts: { ...(contentKey !== undefined && { eventKey: contentKey }), ...facts },
  };
}

/** The content of a request, undefined if it has another form than its record says. */
function readBody({ facts, format }: CompiledFormat, opened: Opened) {
  const [place] = facts.get('body')?.[0] ?? [];
  if (!place) return opened.message;
  const content = place.read(place.raw(opened)[0], opened);
  if (content === undefined) return undefined;
  const body = Buffer.isBuffer(content) ? content : Buffer.from((content as string | null) ?? '');
  const isEmptyValue = format.kind === 'kafka' && content !== null && body.length === 0;
  return { ...toContent(body), isEmptyValue };
}

/** The headers of a message: where its record says, else those of its request. */
function readHeadersAt({ headers: place, format }: CompiledFormat, opened: Opened): Headers | undefined {
  if (!place) {
    const sent = readMessageHeaders(opened.message.headers as Record<string, string>);
    if (!format.cloudEvents || !('ce-specversion' in sent)) return sent;
    // HTTP has the attributes of a CloudEvent percent-encoded.
    const attributes = Object.entries(sent).filter(([name]) => name.startsWith('ce-'));
    return { ...sent, ...Object.fromEntries(attributes.map(([name, each]) => [name, decodePercent(each)])) };
  }
  const [, prefix] = /^header:(.*)\*$/.exec(place.at) ?? [];
  if (prefix === undefined) return readHeaders(place, opened);
  const own = Object.entries(opened.message.headers).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, each]) => [name.slice(prefix.length), each]));
}

type Brought = { readonly content: Content & { readonly isEmptyValue?: boolean }; readonly headers: Headers };

/** The message with the facts of its transport, whose id comes after that of the application. */
function describeMessage(compiled: CompiledFormat, opened: Opened, { content, headers }: Brought): Message {
  const { name, kind = name, scheme = kind, cloudEvents } = compiled.format;
  const { body, json, isEmptyValue } = content;
  const described = cloudEvents
    ? describeContent({ body, json }, headers, cloudEvents)
    : { body, json, headers, contentType: null };
  const all = { ...headers, ...described.attributes };
  const inner = { ...opened, attributes: { get: (each: string) => findHeader(all, each), size: 1 } };
  const text = (fact: Fact) => readTextFact(compiled, fact, inner);
  const identity = text('identity');
  const own = readHeaderFacts(all, opened.message.headers.traceparent);
  return {
    ...described,
    contentType: described.contentType ?? text('contentType'),
    facts: {
      ...(identity !== null && { eventKey: `${scheme}:${identity}` }),
      ...own,
      eventId: own.eventId ?? text('id'),
      eventType: text('type') ?? own.eventType,
      topicType: text('topicType'),
      ...(kind !== null && { sourceKind: kind }),
      ...(isEmptyValue && { hasEmptyValue: true }),
      ...readColumns(compiled, inner),
      ...readMetadata(compiled, inner),
    },
  };
}
