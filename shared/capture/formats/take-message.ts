import { countRepeated } from '../../json/count-repeated.ts';
import { isObject } from '../../json/parse-json.ts';
import { sliceItems, sliceMembers } from '../../json/slice-json.ts';
import type { Headers, HeaderValue } from '../../message/event.ts';
import { type Content, isWholly, toContent, toValue, utf8Of } from '../content.ts';
import { listValues, maxHeaders, toHeaderValue } from '../header-values.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { readMessageHeaders } from '../stored-headers.ts';
import { type CompiledFormat, matches, readPlaces } from './compile-format.ts';
import type { CompiledPlace } from './places.ts';

export type Brought = Content & { readonly headers: Headers };

export function openRequest(request: ParsedInbound): Message {
  const { headers, body, json, text } = request;
  const named = { get: (name: string) => headers[name] };
  const contentType = headers['content-type'] || null;
  return { request, body, json, text, contentType, headers, named, facts: {} };
}

/** Those that the source of a request has declared; all, if it has declared none of these. */
export function listDeclared(all: readonly CompiledFormat[], { source }: ParsedInbound) {
  const declared = source?.format ? all.filter(({ format }) => format.name === source.format) : [];
  return declared.length > 0 || source?.format === 'message' ? declared : all;
}

/** The bytes and headers of the message in another one; undefined for another form than the record says. */
export function takeMessage(compiled: CompiledFormat, outer: Message): Brought | undefined {
  if (!matches(compiled, outer) || repeatsName(compiled, outer)) return undefined;
  const content = takeBody(compiled, outer);
  const headers = takeHeaders(compiled, outer);
  return content && headers && { ...content, headers };
}

/** Of a name that an envelope gives twice, one value would be lost; the message in it may be any JSON. */
function repeatsName({ facts, format }: CompiledFormat, outer: Message): boolean {
  const repeated = format.only ? countRepeated(utf8Of(outer), outer.json) : 0;
  if (repeated === 0) return false;
  const [body = []] = facts.get('body') ?? [];
  return body.every(({ raw, slice }) => countRepeated(slice(outer), raw(outer)[0]) < repeated);
}

function takeBody({ facts, format }: CompiledFormat, outer: Message): Content | undefined {
  const [places] = facts.get('body') ?? [];
  if (!places) return outer;
  const value = readPlaces(places, outer) as string | Buffer | null;
  const body = typeof value === 'string' ? Buffer.from(value) : value;
  // A report of a failure without a message is the message.
  if (format.of !== 'transport') return body?.length ? toContent(body) : outer;
  if (body === null && places.some(({ raw }) => (raw(outer)[0] ?? null) !== null)) return undefined;
  return format.kind === 'kafka' ? toValue(body) : toContent(body ?? Buffer.alloc(0));
}

function takeHeaders({ headers: place, facts, format }: CompiledFormat, outer: Message): Headers | undefined {
  const isTransport = format.of === 'transport';
  if (!place)
    return isTransport ? readMessageHeaders(outer.request.headers, facts.has('delivery')) : outer.headers;
  const [, prefix] = /^header:(.*)\*$/.exec(place.at) ?? [];
  if (prefix === undefined) {
    const own = readHeaders(place, outer);
    return own && (isTransport ? own : { ...outer.headers, ...own });
  }
  const own = Object.entries(outer.headers).filter(([name]) => name.startsWith(prefix));
  const others = Object.entries(readMessageHeaders(outer.request.headers)).filter(
    ([name]) => !`header:${name}`.startsWith(format.under ?? ''),
  );
  return Object.fromEntries([...others, ...own.map(([name, each]) => [name.slice(prefix.length), each])]);
}

/**
 * Values by name, `{"key" or "name", "value" or "stringValue"}` in a list, or names and values in turn. A
 * header without a value is kept as an empty one: the order of values of one name is significant. None if the
 * place is empty; undefined for another form.
 */
function readHeaders(place: CompiledPlace, opened: Message): Record<string, HeaderValue> | undefined {
  const pairs = listPairs(place.raw(opened)[0] ?? {}, () => place.slice(opened));
  const headers = new Map<string, HeaderValue>();
  for (const [name, value, slice] of pairs ?? []) {
    const own = (value ?? null) === null ? '' : place.convert(value, slice);
    if (typeof name !== 'string' || own === undefined) return undefined;
    const told = ([own].flat() as (string | Buffer | null)[]).filter((each) => each !== null);
    const values = told.map((each) => (typeof each === 'string' ? each : toHeaderValue(each)));
    const [first, ...others] = [...listValues(headers.get(name)), ...values];
    if (first !== undefined) headers.set(name, others.length === 0 ? first : [first, ...others]);
  }
  return pairs && Object.fromEntries(headers);
}

type Pair = readonly [name: unknown, value: unknown, slice: () => string];

/** The text of a value is only looked for if it is asked for. */
function listPairs(json: unknown, written: () => Buffer): readonly Pair[] | undefined {
  let sliced: readonly ReadonlyMap<string, Buffer>[] | undefined;
  const sliceAt = (i: number, member: string) => () => {
    sliced ??= isObject(json)
      ? [sliceMembers(written())]
      : sliceItems(written()).map(({ value }) => sliceMembers(value));
    return String(sliced[i]?.get(member) ?? '');
  };
  if (isObject(json)) return Object.entries(json).map(([name, value]) => [name, value, sliceAt(0, name)]);
  if (!Array.isArray(json)) return undefined;
  // Those beyond show that there are too many.
  const list = json.slice(0, 2 * maxHeaders + 2);
  if (list.every(isHeader))
    return list.map((header, i) => {
      const member = 'stringValue' in header ? 'stringValue' : 'value';
      return [header.key ?? header.name, header[member], sliceAt(i, member)];
    });
  if (list.length % 2 === 1 || !list.every(isText)) return undefined;
  return list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1], String]] : []));
}

const isText = (each: unknown) => each === null || (typeof each === 'string' && each.isWellFormed());

const headerNames = new Set(['key', 'name', 'value', 'stringValue']);
const isHeader = (entry: unknown) => isWholly(entry, headerNames) && Object.keys(entry).length <= 2;
