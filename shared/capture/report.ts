import { isDeeper, isObject, printJson } from '../json/parse-json.ts';
import { normalize, sliceMembers } from '../json/slice-json.ts';
import { isCredential } from '../message/credential-headers.ts';
import type { HeaderValue, SingleValue } from '../message/event.ts';
import { findTraceId, toText } from './column-values.ts';
import { type Content, decodeBase64, isWholly, textOf, toValue } from './content.ts';
import { toOwnText } from './formats/conversions.ts';
import { readValue } from './formats/read-transport.ts';
import { maxHeaders, toHeaderValue } from './header-values.ts';
import { findApplicationId, keyFromContent, keyFromId, openHeaders, toPublication } from './identity.ts';
import { keyFromPosition, sourceKeyFromBytes } from './kafka-record.ts';
import { addNotes, type Facts, factList, type Message, noFacts, type ParsedInbound } from './message.ts';
import { maxDepth, replaceUnstorable } from './payload.ts';

/** A fact of a report: its path, and how its text is read. */
type Field = readonly [path: string, fact: string, read: (text: string) => unknown];

const fields: readonly Field[] = [
  ...factList.flatMap(([fact, [, read, path]]): Field[] => (path ? [[path, fact, read]] : [])),
  // As languages and people name them, too. The first that is there counts.
  ['error', 'errorReason', toText],
  ['error.name', 'errorClass', toText],
  ['error.type', 'errorClass', toText],
  ['error.stacktrace', 'errorStacktrace', toText],
  ['source.group', 'consumerGroup', toText],
  ['contentType', 'contentType', toText],
  ['source.keyBase64', 'keyBytes', decodeBase64],
];

type Told = Omit<Facts, 'topicType'> & Pick<Message, 'contentType'> & { readonly keyBytes: Buffer | null };

const paths = fields.map(([path]) => path);

/** All members that a report may have, and those of its error. */
const reportNames: ReadonlySet<string> = new Set([
  ...paths.flatMap((path) => path.split('.', 1)),
  ...['payload', 'payloadBase64', 'headers', 'metadata'],
]);
const errorNames: ReadonlySet<string> = new Set(
  paths.flatMap((path) => (path.startsWith('error.') ? [path.slice('error.'.length)] : [])),
);

/** A member, by the part that it is in: its parsed value, and its text as written. */
type Entry = {
  readonly part: string;
  readonly name: string;
  readonly value: unknown;
  readonly source: string;
};

/** Members by their paths, in their order: what is read is taken out of them, the rest is ignored. */
type Entries = Map<string, Entry>;

const parts = new Set(['error', 'source', 'headers', 'metadata']);

/** Names that mean something else in the metadata of an event. */
const reserved = new Set('ignored unread decided damaged deadLetteredAt query withheld'.split(' '));

const reportType = /^application\/vnd\.dead-letter-office\.report\+json\s*(;|$)/i;

/**
 * An object is a report if it is declared as one, or if all its members are fields of one, with `error` among
 * them, and if it has the message or names it: any other object is a message itself.
 */
export function readReport(opened: Message): Message | undefined {
  const { json, headers } = opened.request;
  if (reportType.test(headers['content-type'] ?? '')) return isObject(json) ? readParts(opened) : undefined;
  if (!isWholly(json, reportNames) || !isError(json.error)) return undefined;
  const hasContent = 'payload' in json || (json.payloadBase64 ?? null) !== null;
  return hasContent || namesMessage(opened.request) ? readParts(opened) : undefined;
}

const isError = (error: unknown) => typeof error === 'string' || isObject(error);

/** A report without content is about a message that another capture brings. */
function namesMessage(request: ParsedInbound): boolean {
  const { error } = Object(request.json);
  if (isObject(error) && !isWholly(error, errorNames)) return false;
  const told = takeFacts(listEntries(request));
  const hasId = told.eventId !== null || Boolean(request.headers['dlo-event-id']);
  return hasId || keyFromPosition(told) !== undefined;
}

/**
 * Also a body that is declared as a report but is none. A member `error` is the reason, but decides nothing:
 * nobody declared that a consumer wrote it.
 */
export function readWhole(request: ParsedInbound) {
  const message = { ...readValue(request), transport: 'value' };
  const { json } = request;
  if (reportType.test(request.headers['content-type'] ?? '')) {
    const facts = { ...message.facts, sourceKind: 'report', origin: 'report' as const };
    return { ...message, transport: 'report', facts };
  }
  if (!isObject(json) || !isError(json.error)) return message;
  const { errorReason, errorClass, errorStacktrace } = takeFacts(listEntries(request));
  return { ...message, facts: { ...message.facts, errorReason, errorClass, errorStacktrace } };
}

/** All other members than those that are read are ignored, unless they are empty or repeat one. */
function readParts({ request, named }: Message): Message {
  const entries = listEntries(request);
  const { contentType, keyBytes, ...told } = takeFacts(entries);
  const { body, ...unread } = takeContent(entries);
  const headers = takeHeaders(entries);
  const metadata = takeMetadata(entries, request);
  const ignored = [...entries]
    .filter(([path, entry]) => !(parts.has(path) && isEmpty(entry)))
    .map(([path, entry]): [string, unknown] => [path, keepIgnored(entry)]);
  if (keyBytes && ![null, keyBytes.toString()].includes(told.sourceKey))
    ignored.push(['source.key', told.sourceKey]);
  const opened = openHeaders(headers);
  const position = keyFromPosition(told);
  const ofHeaders = opened.ownKey === undefined ? null : opened.facts.eventId;
  const eventId = told.eventId ?? ofHeaders ?? findApplicationId(named);
  const key = eventId === ofHeaders ? opened.ownKey : keyFromId(String(eventId));
  const facts: Partial<Facts> = {
    ...told,
    ...(keyBytes !== null && sourceKeyFromBytes(keyBytes)),
    sourceKind: told.sourceKind ?? 'report',
    eventId,
    eventKey: key ?? position ?? keyFromContent(request.body),
    origin: 'report',
    consumer: told.sourceSubscription,
    publication: toPublication(null, position ?? null),
    traceId: told.traceId ?? findTraceId(named.get('traceparent')),
    metadata: addNotes(metadata, { ignored: Object.fromEntries(ignored) }),
  };
  return { request, ...toValue(body), contentType, ...unread, ...opened, facts };
}

function listEntries(content: Content): Entries {
  const entries = listMembers('', content.json, textOf(content)).flatMap((entry) =>
    parts.has(entry.name) && isObject(entry.value)
      ? listMembers(entry.name, entry.value, entry.source)
      : [entry],
  );
  return new Map(entries.map((each) => [toPath(each), each]));
}

/** In the order of the text, also those that come before another one of their name. */
function listMembers(part: string, json: unknown, text: string): Entry[] {
  const [members = []] = sliceMembers(text);
  return Array.from(members, ([name, source]) => ({ part, name, value: Object(json)[name], source }));
}

/** `source.foo`; a name that has a dot itself is in brackets: `headers["a.b"]`. */
function toPath({ part, name }: Entry): string {
  if (name === '' || /[.[\]"]/.test(name)) return `${part}[${JSON.stringify(name)}]`;
  return part === '' ? name : `${part}.${name}`;
}

/** Takes the members that are facts, or nothing. */
function takeFacts(entries: Entries): Told {
  const told: Record<string, unknown> = { ...noFacts, contentType: null, keyBytes: null };
  for (const [path, fact, read] of fields) {
    const entry = entries.get(path);
    if (!entry) continue;
    const text = readText(entry);
    const value = text === null ? null : (read(text) ?? null);
    told[fact] ??= value;
    if (isEmpty(entry) || (value !== null && told[fact] === value)) entries.delete(path);
  }
  return told as Told;
}

/** `payloadBase64`, else `payload` as written: printing it again would change large numbers. */
function takeContent(entries: Entries): { readonly body: Buffer | undefined; readonly unread?: string } {
  const [payload, encoded] = ['payload', 'payloadBase64'].map((name) => entries.get(name));
  const isNone = (encoded?.value ?? null) === null;
  const bytes = typeof encoded?.value === 'string' ? decodeBase64(encoded.value) : undefined;
  if (bytes || !payload || isNone) entries.delete('payloadBase64');
  if (!bytes || payload?.value === null || payload?.source === bytes.toString()) entries.delete('payload');
  if (bytes) return { body: bytes };
  if (payload) return { body: Buffer.from(payload.source) };
  if (!encoded || isNone) return { body: undefined };
  const text = toOwnText(encoded.value, () => encoded.source);
  return { body: Buffer.from(text), unread: 'payloadBase64 is not base64: kept as text' };
}

function takeHeaders(entries: Entries): Record<string, HeaderValue> {
  const headers: [string, HeaderValue][] = [];
  for (const [path, entry] of entries) {
    const value = entry.part === 'headers' ? readHeaderValue(entry) : null;
    if (value !== null && entries.delete(path)) headers.push([entry.name, value]);
  }
  return Object.fromEntries(headers);
}

function takeMetadata(entries: Entries, { json }: Content): Record<string, unknown> | null {
  if (!isObject(Object(json).metadata)) return null;
  const own = [...entries].filter(([, { part, name }]) => part === 'metadata' && !reserved.has(name));
  for (const [path] of own) entries.delete(path);
  return Object.fromEntries(own.map(([, entry]) => [entry.name, keepExactly(entry)]));
}

/** A header of another form may have a credential at any depth or within a text; a long one is withheld. */
function keepIgnored(entry: Entry): unknown {
  const { part, name, source } = entry;
  if ((part || name) !== 'headers') return keepExactly(entry);
  if (source.length > 2 ** 18) return 'withheld';
  const words = `${name} ${normalize(source)}`.split(/(?:\\.|[^\w.-])+/);
  return words.some(isCredential) ? 'withheld' : keepExactly(entry);
}

/** A text, a number as written, `{"base64"}`, or a list of these that names no credential; else null. */
function readHeaderValue(entry: Entry): HeaderValue | null {
  const { value } = entry;
  if (!Array.isArray(value)) return readSingleValue(value) ?? readText(entry);
  const values = value.map(readSingleValue).filter((each) => each !== null);
  const isPair = typeof value[0] === 'string' && isCredential(value[0]);
  const isList = values.length === value.length && values.length > 0 && values.length <= maxHeaders;
  return isList && !isPair ? values : null;
}

function readSingleValue(value: unknown): SingleValue | null {
  if (typeof value === 'string') return value;
  if (!isWholly(value, base64Name) || typeof value.base64 !== 'string') return null;
  const bytes = decodeBase64(value.base64);
  return bytes === undefined ? null : toHeaderValue(bytes);
}

const base64Name = new Set(['base64']);

/** The text of a string that is not empty, or of a number with all its digits; null for any other value. */
function readText({ value, source }: Entry): string | null {
  return isObject(value) ? null : toText(typeof value === 'number' ? source : value);
}

const isEmpty = ({ value }: Entry) => value === null || value === '';

/** The value of a member if jsonb stores it exactly, else its text as written. */
function keepExactly({ value, source }: Entry): unknown {
  if (isDeeper(value, maxDepth)) return source;
  const printed = printJson(value);
  return printed === normalize(source) && replaceUnstorable(printed) === printed ? value : source;
}
