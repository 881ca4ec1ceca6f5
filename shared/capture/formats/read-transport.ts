import { isObject } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import type { Headers, HeaderValue, SingleValue } from '../../message/event.ts';
import { transportFormats, valueFormat } from '../../message/formats/transports.ts';
import { describeContent } from '../cloud-event.ts';
import { type Content, toContent, toValue } from '../content.ts';
import { listValues, maxHeaders, toHeaderValue } from '../header-values.ts';
import { openHeaders } from '../identity.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { readMessageHeaders, readUnsignedHeaders } from '../stored-headers.ts';
import { type CompiledFormat, compileFormat, matches, readFacts, readTextFact } from './compile-format.ts';
import type { CompiledPlace } from './places.ts';

/** In order of precedence. */
export const compiledTransports: readonly CompiledFormat[] = transportFormats.map(compileFormat);
const value = compileFormat(valueFormat);

export function openRequest(request: ParsedInbound): Message {
  const { headers, body, json, text } = request;
  const named = { get: (name: string) => headers[name], size: 1 };
  const contentType = headers['content-type'] || null;
  return { request, body, json, text, contentType, headers, named, facts: {} };
}

export function readTransport(compiled: CompiledFormat, opened: Message): Message | undefined {
  if (!matches(compiled, opened)) return undefined;
  const content = readBody(compiled, opened);
  const headers = readHeadersAt(compiled, opened);
  return content && headers && describeMessage(compiled, opened, { ...content, headers });
}

/** The body as the message. */
export function readValue(request: ParsedInbound): Message {
  const headers = readMessageHeaders(request.headers);
  const message = describeMessage(value, openRequest(request), { ...request, headers });
  // A signature of version 1 does not cover it.
  return { ...message, contentType: request.sentType || request.unsignedHeaders?.['content-type'] || null };
}

/** Undefined for another form than the record says. */
function readBody({ facts, format }: CompiledFormat, opened: Message) {
  const [place] = facts.get('body')?.[0] ?? [];
  if (!place) return opened;
  const content = place.read(place.raw(opened)[0], opened);
  if (content === undefined) return undefined;
  const body = typeof content === 'string' ? Buffer.from(content) : (content as Buffer | null);
  return format.kind === 'kafka' ? toValue(body) : toContent(body ?? Buffer.alloc(0));
}

function readHeadersAt({ headers: place, facts }: CompiledFormat, opened: Message): Headers | undefined {
  if (!place) return readMessageHeaders(opened.request.headers, facts.has('delivery'));
  const [, prefix] = /^header:(.*)\*$/.exec(place.at) ?? [];
  if (prefix === undefined) return readHeaders(place, opened);
  const own = Object.entries(opened.headers).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, each]) => [name.slice(prefix.length), each]));
}

/** The id of a transport comes after that of the application. */
type Brought = Content & { readonly headers: Headers };

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

/**
 * Values by name, `{"key" or "name", "value"}` in a list, or names and values in turn. A header without a
 * value is kept as an empty one: the order of values of one name is significant. None if the place is empty;
 * undefined for another form.
 */
export function readHeaders(place: CompiledPlace, opened: Message): Record<string, HeaderValue> | undefined {
  const pairs = listPairs(place.raw(opened)[0] ?? {}, () => place.slice(opened));
  const headers = new Map<string, HeaderValue>();
  for (const pair of pairs ?? []) {
    const own = listOwn(place, pair);
    if (typeof pair.name !== 'string' || !own) return undefined;
    const [first, ...others] = [...listValues(headers.get(pair.name)), ...own];
    if (first !== undefined) headers.set(pair.name, others.length === 0 ? first : [first, ...others]);
  }
  return pairs && Object.fromEntries(headers);
}

function listOwn({ convert }: CompiledPlace, { value, slice }: Pair): SingleValue[] | undefined {
  if ((value ?? null) === null) return [''];
  const read = convert(value, slice);
  if (read === undefined) return undefined;
  const all = [read].flat() as (string | Buffer | null)[];
  const told = all.filter((each) => each !== null);
  return told.map((each) => (typeof each === 'string' ? each : toHeaderValue(each)));
}

type Pair = { readonly name: unknown; readonly value: unknown; readonly slice: () => string };

/** The text of a value is only looked for if it is asked for. */
function listPairs(json: unknown, slice: () => string): readonly Pair[] | undefined {
  let sliced: ReadonlyMap<string, string>[] | undefined;
  const sliceAt = (i: number, member: string) => () => {
    sliced ??= sliceMembers(slice());
    return sliced[i]?.get(member) ?? '';
  };
  if (isObject(json))
    return Object.entries(json).map(([name, value]) => ({ name, value, slice: sliceAt(0, name) }));
  if (!Array.isArray(json)) return undefined;
  // Those beyond show that there are too many.
  const list = json.slice(0, 2 * maxHeaders + 2);
  if (list.every(isObject))
    return list.map(({ key, name, value }, i) => ({ name: key ?? name, value, slice: sliceAt(i, 'value') }));
  if (list.length % 2 === 1) return undefined;
  return list.flatMap((name, i) => (i % 2 === 0 ? [{ name, value: list[i + 1], slice: () => '' }] : []));
}
