import type { Headers } from '../../message/event.ts';
import { transportFormats, valueFormat } from '../../message/formats/transports.ts';
import { describeContent } from '../cloud-event.ts';
import { type Content, decodePercent, toContent } from '../content.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { findHeader } from '../header-values.ts';
import type { Message, Opened, ParsedInbound } from '../message.ts';
import { readMessageHeaders, readUnsignedHeaders } from '../stored-headers.ts';
import { type CompiledFormat, compileFormat, matches, readTextFact } from './compile-format.ts';
import { readFacts } from './read-failure.ts';
import { readHeaders } from './read-headers.ts';

/** In order of precedence. */
export const compiledTransports: readonly CompiledFormat[] = transportFormats.map(compileFormat);
const value = compileFormat(valueFormat);

export function openRequest(request: ParsedInbound): Opened {
  const { headers, body, json } = request;
  const named = { get: (name: string) => headers[name], size: 1 };
  const message = { body, json, contentType: headers['content-type'] || null, headers, facts: {} };
  return { message, named, sent: request };
}

export function readTransport(compiled: CompiledFormat, opened: Opened): Message | undefined {
  if (!matches(compiled, opened)) return undefined;
  const content = readBody(compiled, opened);
  const headers = readHeadersAt(compiled, opened);
  return content && headers && describeMessage(compiled, opened, { content, headers });
}

/** The body as the message. */
export function readValue(request: ParsedInbound): Message {
  const { unsignedHeaders } = request;
  const opened = openRequest(request);
  const { 'idempotency-key': _, ...sent } = request.headers;
  const message = describeMessage(value, opened, {
    content: opened.message,
    headers: readMessageHeaders(sent),
  });
  return {
    ...message,
    contentType: message.contentType ?? (unsignedHeaders?.['content-type'] || null),
    ...(unsignedHeaders && { unsignedHeaders: readUnsignedHeaders(unsignedHeaders) }),
  };
}

/** Undefined for another form than the record says. */
function readBody({ facts, format }: CompiledFormat, opened: Opened) {
  const [place] = facts.get('body')?.[0] ?? [];
  if (!place) return opened.message;
  const content = place.read(place.raw(opened)[0], opened);
  if (content === undefined) return undefined;
  const body = Buffer.isBuffer(content) ? content : Buffer.from((content as string | null) ?? '');
  const isEmptyValue = format.kind === 'kafka' && content !== null && body.length === 0;
  return { ...toContent(body), isEmptyValue };
}

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

/** The id of a transport comes after that of the application. */
function describeMessage(compiled: CompiledFormat, opened: Opened, { content, headers }: Brought): Message {
  const { cloudEvents } = compiled.format;
  const { body, json, isEmptyValue } = content;
  const described = cloudEvents
    ? describeContent({ body, json }, headers)
    : { body, json, headers, contentType: null };
  const all = { ...headers, ...described.attributes };
  const inner = {
    ...opened,
    message: { ...opened.message, headers: all },
    attributes: { get: (each: string) => findHeader(all, each), size: 1 },
  };
  return {
    ...described,
    contentType: described.contentType ?? readTextFact(compiled, 'contentType', inner),
    facts: {
      ...readHeaderFacts(all, opened.message.headers.traceparent),
      ...readFacts(compiled, inner),
      ...(isEmptyValue && { hasEmptyValue: true }),
    },
  };
}
