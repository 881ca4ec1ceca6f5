import { transportFormats, valueFormat } from '../../message/formats/transports.ts';
import { describeContent } from '../cloud-event.ts';
import { openHeaders } from '../identity.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { readMessageHeaders, readUnsignedHeaders } from '../stored-headers.ts';
import { type CompiledFormat, compileFormat, matches, readFacts, readTextFact } from './compile-format.ts';
import { type Brought, takeMessage } from './take-message.ts';

/** In order of precedence. */
export const compiledTransports: readonly CompiledFormat[] = transportFormats.map(compileFormat);
const value = compileFormat(valueFormat);

export function openRequest(request: ParsedInbound): Message {
  const { headers, body, json, text } = request;
  const named = { get: (name: string) => headers[name] };
  const contentType = headers['content-type'] || null;
  return { request, body, json, text, contentType, headers, named, facts: {} };
}

export function readTransport(compiled: CompiledFormat, opened: Message): Message | undefined {
  const brought = matches(compiled, opened) ? takeMessage(compiled, opened) : undefined;
  return brought && describeMessage(compiled, opened, brought);
}

/** The body as the message. */
export function readValue(request: ParsedInbound): Message {
  const headers = readMessageHeaders(request.headers);
  const message = describeMessage(value, openRequest(request), { ...request, headers });
  // A signature of version 1 does not cover it.
  return { ...message, contentType: request.sentType || request.unsignedHeaders?.['content-type'] || null };
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
