import { isObject } from '../json/parse-json.ts';
import { normalize, sliceMembers } from '../json/slice-json.ts';
import { isCredential } from '../message/credential-headers.ts';
import type { HeaderValue, SingleValue } from '../message/event.ts';
import { type Content, decodeBase64, isWholly, toContent, toValue, utf8Of } from './content.ts';
import { compileFormat, readError, readFacts, readTextFact, toPath } from './formats/compile-format.ts';
import { toOwnText } from './formats/conversions.ts';
import { maxHeaders, toHeaderValue } from './header-values.ts';
import { findApplicationId, keyFromContent, keyFromId, openHeaders, toPublication } from './identity.ts';
import { keyFromPosition } from './kafka-record.ts';
import { addNotes, type Facts, type Inbound, type Message, noFacts } from './message.ts';
import { keepExactly } from './payload.ts';
import { findDeclared } from './sources/source.ts';

/** The first name of a fact is that of docs/capture.md, the others are as languages and people name it. */
export const report = compileFormat({
  name: 'report',
  of: 'transport',
  kind: null,
  source: 'docs/capture.md',
  under: 'json:/',
  only: { '': [], '/error': [] },
  error: ['error/class | error/name | error/type', 'error/message | error', 'error/stack | error/stacktrace'],
  ...{ errorKind: 'error/kind', retryAfter: 'retryAfter', maxRetries: 'maxRetries', priority: 'priority' },
  ...{ id: 'eventId', identity: null, type: 'eventType' },
  position: ['source/topic', 'source/partition', 'source/offset'],
  key: 'source/keyBase64 as base64Key | source/key',
  subscription: 'source/subscription',
  scope: 'source/subscription',
  consumer: 'source/consumerGroup | source/group',
  attempts: 'source/attempts',
  ...{ time: 'occurredAt', failedAt: 'failedAt', trace: 'traceparent | header:traceparent' },
  ...{ contentType: 'contentType', sourceKind: 'source/kind | text:report', origin: 'text:report' },
});
/** All members that a report may have, and those of its error. */
const [factNames = [], errorNames = new Set<string>()] = report.only.map(([, names]) => names);
const reportNames = new Set([...factNames, 'payload', 'payloadBase64', 'headers', 'metadata']);
const factPaths = new Set(report.envelope.flat().map(({ at }) => toPath(at)));

/** A member, by the part that it is in: its parsed value, and its text as written. */
type Entry = {
  readonly part: string;
  readonly name: string;
  readonly value: unknown;
  readonly source: Buffer;
};

/** Members that are no facts, by their paths: what is read is taken out of them, the rest is ignored. */
type Entries = Map<string, Entry>;

const parts = new Set(['error', 'source', 'headers', 'metadata']);

/** Names that mean something else in the metadata of an event. */
const reserved = new Set('ignored unread decided damaged deadLetteredAt query withheld'.split(' '));

export const isDeclaredReport = ({ headers }: Inbound) => findDeclared(headers['content-type']) === 'report';

/**
 * An object is a report if it is declared as one, or if all its members are fields of one, with `error` among
 * them, and if it has the message or names it: any other object is a message itself.
 */
export function readReport(opened: Message): Message | undefined {
  const { json } = opened;
  if (isDeclaredReport(opened.request)) return isObject(json) ? readParts(opened) : undefined;
  if (!isWholly(json, reportNames) || !isError(json.error)) return undefined;
  const hasContent = 'payload' in json || (json.payloadBase64 ?? null) !== null;
  return hasContent || namesMessage(opened) ? readParts(opened) : undefined;
}

const isError = (error: unknown) => typeof error === 'string' || isObject(error);

/** A report without content is about a message that another capture brings. */
function namesMessage(opened: Message): boolean {
  const { error } = Object(opened.json);
  if (isObject(error) && !isWholly(error, errorNames)) return false;
  const told = { ...noFacts, ...readFacts(report, opened) };
  const hasId = told.eventId !== null || Boolean(opened.request.headers['dlo-event-id']);
  return hasId || keyFromPosition(told) !== undefined;
}

/** The member `error` of a message. It decides nothing: nobody declared that a consumer wrote it. */
export function readErrorMember(message: Message): Partial<Facts> {
  return isObject(message.json) && isError(message.json.error) ? readError(report, message) : {};
}

function readParts(opened: Message): Message {
  const { request, named } = opened;
  const entries = listEntries(request);
  const content = takeContent(entries);
  const { headers, metadata, ignored } = sortEntries(entries);
  const told = { ...noFacts, ...readFacts(report, opened) };
  const inner = openHeaders(headers);
  const position = keyFromPosition(told);
  const ofHeaders = inner.ownKey === undefined ? null : inner.facts.eventId;
  const eventId = told.eventId ?? ofHeaders ?? findApplicationId(named);
  const key = eventId === ofHeaders ? inner.ownKey : keyFromId(String(eventId));
  const facts: Partial<Facts> = {
    ...told,
    eventId,
    eventKey: key ?? position ?? keyFromContent(request.body),
    publication: toPublication(null, position ?? null),
    metadata: addNotes(metadata, { ignored: { ...Object(told.metadata?.ignored), ...ignored } }),
  };
  const contentType = readTextFact(report, 'contentType', opened);
  const read = request.readEncoded(content, contentType, inner.named.get('content-encoding'));
  return { request, ...read, contentType, ...inner, facts };
}

function listEntries(content: Content): Entries {
  const entries = listMembers('', content.json, utf8Of(content)).flatMap((entry) =>
    parts.has(entry.name) && isObject(entry.value)
      ? listMembers(entry.name, entry.value, entry.source)
      : [entry],
  );
  const named = entries.map((each) => [printPath(each), each] as const);
  return new Map(named.filter(([path]) => !factPaths.has(path)));
}

/** In the order of the text, also those that come before another one of their name. */
function listMembers(part: string, json: unknown, written: Buffer): Entry[] {
  const members = [...sliceMembers(written)];
  return members.map(([name, source]) => ({ part, name, value: Object(json)[name], source }));
}

/** `source.foo`; a name that has a dot itself is in brackets: `headers["a.b"]`. */
function printPath({ part, name }: Entry): string {
  if (name === '' || /[.[\]"]/.test(name)) return `${part}[${JSON.stringify(name)}]`;
  return part === '' ? name : `${part}.${name}`;
}

/** `payloadBase64`, else `payload` as written: printing it again would change large numbers. */
function takeContent(entries: Entries): Content {
  const [payload, encoded] = ['payload', 'payloadBase64'].map((name) => entries.get(name));
  const isNone = (encoded?.value ?? null) === null;
  const bytes = typeof encoded?.value === 'string' ? decodeBase64(encoded.value) : undefined;
  if (bytes || !payload || isNone) entries.delete('payloadBase64');
  if (!bytes || payload?.value === null || payload?.source.equals(bytes)) entries.delete('payload');
  if (!bytes && payload) return { body: payload.source, json: payload.value, text: undefined };
  if (bytes || !encoded || isNone) return toValue(bytes);
  const text = toOwnText(encoded.value, () => encoded.source.toString());
  return { ...toContent(Buffer.from(text)), unread: 'payloadBase64 is not base64: kept as text' };
}

/** All members that are not read are ignored, unless they are empty parts. */
function sortEntries(entries: Entries) {
  const headers: [string, HeaderValue][] = [];
  const metadata: [string, unknown][] = [];
  const ignored: [string, unknown][] = [];
  const mayHaveCredential = openCredentialSearch();
  for (const [path, entry] of entries) {
    const { part, name, value } = entry;
    const header = part === 'headers' ? readHeaderValue(entry) : null;
    const kept = () => (mayHaveCredential(entry) ? 'withheld' : keepExactly(entry));
    if (header !== null) headers.push([name, header]);
    else if (part === 'metadata' && !reserved.has(name)) metadata.push([name, kept()]);
    else if (!(parts.has(path) && (value ?? '') === '')) ignored.push([path, kept()]);
  }
  return {
    headers: Object.fromEntries(headers),
    metadata: metadata.length > 0 ? Object.fromEntries(metadata) : null,
    ignored: Object.fromEntries(ignored),
  };
}

/** Characters that are searched of the headers of one report. */
const maxSearched = 2 ** 18;

/** Headers of an HTTP request in another text or list. Alone, the word authorization has other meanings. */
const ofRequest =
  /headers\\*"\s*:|authorization[^\w:=,]{0,4}[:=,]\W{0,6}(basic|bearer|digest|negotiate|token|apikey|hawk|aws4-\S{1,20}) +\S{6}/i;

/** Headers of another form may have a credential at any depth or within a text: each beyond the limit. */
function openCredentialSearch(): (entry: Entry) => boolean {
  let left = maxSearched;
  return ({ part, name, source }) => {
    const text = source.toString();
    // Under any name: HTTP clients print those of their request into their errors.
    const hasHeaders = /headers/i.test(part + name) || ofRequest.test(`${name}:${text}`);
    if (!hasHeaders) return part !== 'metadata' && isCredential(name);
    left -= text.length;
    return left < 0 || `${name} ${normalize(text)}`.split(/(?:\\.|[^\w.-])+/).some(isCredential);
  };
}

/** A text, a number as written, `{"base64"}`, or a list of these that names no credential; else null. */
function readHeaderValue({ value, source }: Entry): HeaderValue | null {
  if (!Array.isArray(value)) return typeof value === 'number' ? String(source) : readSingleValue(value);
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
