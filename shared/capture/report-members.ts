import { isDeeper, isObject, printJson } from '../json/parse-json.ts';
import { normalize, sliceMembers } from '../json/slice-json.ts';
import { isCredential } from '../message/credential-headers.ts';
import type { HeaderValue } from '../message/event.ts';
import { toText } from './column-values.ts';
import { decodeAnyBase64, isWholly } from './content.ts';
import { type Facts, factList } from './facts.ts';
import { maxHeaders, type SingleValue, toHeaderValue } from './header-values.ts';
import { maxDepth, replaceUnstorable } from './payload.ts';

/** The parsed value, and its text as written. */
type Member = { readonly value: unknown; readonly source: string };

export type Members = ReadonlyMap<string, Member>;

/** In the order of the text; undefined for any other value than an object. */
export function readMembers({ value, source }: Member): Members | undefined {
  if (!isObject(value)) return undefined;
  const sources = sliceMembers(source)[0] ?? [];
  const members = new Map<string, Member>();
  for (const [name, text] of sources) members.set(name, { value: value[name], source: text });
  return members;
}

/** A fact of a report: its paths, the preferred one first. */
type Field = { readonly at: readonly string[]; readonly read: (text: string) => unknown };

const fields: readonly (readonly [fact: string, field: Field])[] = [
  ...factList.flatMap(([fact, [, read, report]]) =>
    report === undefined ? [] : [[fact, { at: report.split(' | '), read }] as const],
  ),
  ['contentType', { at: ['contentType'], read: toText }],
  ['keyBytes', { at: ['source.keyBase64'], read: decodeAnyBase64 }],
];

type Told = Omit<Facts, 'topicType' | 'hasEmptyValue'> & {
  readonly contentType: string | null;
  readonly keyBytes: Buffer | null;
};

const paths = fields.flatMap(([, { at }]) => at);

/** All members that a report may have, and those of its error. */
export const reportNames: ReadonlySet<string> = new Set([
  ...paths.flatMap((path) => path.split('.', 1)),
  ...['payload', 'payloadBase64', 'headers', 'metadata'],
]);
export const errorNames: ReadonlySet<string> = new Set(
  paths.flatMap((path) => (path.startsWith('error.') ? [path.slice('error.'.length)] : [])),
);

type Entry = { readonly part: string; readonly name: string; readonly member: Member };

/** Members by their paths, in their order: what is read is taken out of them, the rest is ignored. */
type Entries = Map<string, Entry>;

const parts = new Set(['error', 'source', 'headers', 'metadata']);

/** Names that mean something else in the metadata of an event. */
const reserved = new Set('ignored unread decided damaged deadLetteredAt query withheld'.split(' '));

/**
 * What is read, null for what a report does not tell, and all other members by their paths, unless they are
 * empty or repeat it.
 */
export function readReportMembers(members: Members) {
  const entries = listEntries(members);
  return {
    told: takeFacts(entries),
    body: takeContent(entries),
    headers: takeHeaders(entries),
    metadata: takeMetadata(entries, members.get('metadata')),
    ignored: [...entries]
      .filter(([path, { member }]) => !(parts.has(path) && isEmpty(member)))
      .map(([path, each]) => [path, keepIgnored(each)] as const),
  };
}

export function readError(error: Member): Pick<Told, 'errorReason' | 'errorClass' | 'errorStacktrace'> {
  const { errorReason, errorClass, errorStacktrace } = takeFacts(listEntries(new Map([['error', error]])));
  return { errorReason, errorClass, errorStacktrace };
}

function listEntries(members: Members): Entries {
  const entries = [...members].flatMap(([name, member]): Entry[] => {
    const own = parts.has(name) ? readMembers(member) : undefined;
    if (!own) return [{ part: '', name, member }];
    return [...own].map(([each, value]) => ({ part: name, name: each, member: value }));
  });
  return new Map(entries.map((each) => [toPath(each), each]));
}

/** `source.foo`; a name that has a dot itself is in brackets: `headers["a.b"]`. */
function toPath({ part, name }: Entry): string {
  if (name === '' || /[.[\]"]/.test(name)) return `${part}[${JSON.stringify(name)}]`;
  return part === '' ? name : `${part}.${name}`;
}

function takeFacts(entries: Entries): Told {
  return Object.fromEntries(fields.map(([fact, field]) => [fact, takeFact(entries, field)])) as Told;
}

/** A fact from the first of its paths that has a usable value; takes the paths that say no more. */
function takeFact(entries: Entries, { at, read }: Field): unknown {
  let found: { readonly text: string | null; readonly value: unknown } | undefined;
  for (const path of at) {
    const member = entries.get(path)?.member;
    if (!member) continue;
    const text = readText(member);
    const value = text === null ? null : (read(text) ?? null);
    if (!found && value !== null) found = { text, value };
    if (isEmpty(member) || (found && found.text === text)) entries.delete(path);
  }
  return found?.value ?? null;
}

/** `payloadBase64`, else `payload` as written: printing it again would change large numbers. */
function takeContent(entries: Entries): Buffer | undefined {
  const [payload, encoded] = ['payload', 'payloadBase64'].map((name) => entries.get(name)?.member);
  const text = typeof encoded?.value === 'string' ? encoded.value : undefined;
  const bytes = text === undefined ? undefined : decodeAnyBase64(text);
  if (bytes || (!payload && text !== undefined)) entries.delete('payloadBase64');
  if (!bytes || payload?.value === null || payload?.source === bytes.toString()) entries.delete('payload');
  if (bytes) return bytes;
  if (payload) return Buffer.from(payload.source);
  // UTF-8 cannot encode a lone surrogate; its escape in the JSON text can be kept.
  return text === undefined ? undefined : Buffer.from(text.isWellFormed() ? text : (encoded?.source ?? ''));
}

function takeHeaders(entries: Entries): Record<string, HeaderValue> {
  const headers: [string, HeaderValue][] = [];
  for (const [path, { part, name, member }] of entries) {
    const value = part === 'headers' ? readHeaderValue(member) : null;
    if (value !== null && entries.delete(path)) headers.push([name, value]);
  }
  return Object.fromEntries(headers);
}

/** Metadata that is nested too deeply is kept as text. */
function takeMetadata(entries: Entries, whole: Member | undefined): Record<string, unknown> | null {
  if (!isObject(whole?.value)) return null;
  const metadata: [string, unknown][] = [];
  const isDeep = isDeeper(whole.value, maxDepth);
  for (const [path, { part, name, member }] of entries) {
    if (part !== 'metadata' || reserved.has(name)) continue;
    if (!isDeep) metadata.push([name, keepExactly(member)]);
    entries.delete(path);
  }
  return isDeep ? { text: whole.source } : Object.fromEntries(metadata);
}

/** A header of another form may have a credential, or its name, at any depth. */
function keepIgnored({ part, name, member }: Entry): unknown {
  const isOfHeaders = part === 'headers' || (part === '' && name === 'headers');
  const isWithheld = isOfHeaders && (isCredential(part && name) || namesCredential(member.value));
  return isWithheld ? 'withheld' : keepExactly(member);
}

/**
 * A text, a number as written, `{"base64"}`, or a list of these; null for another form, and for a list that
 * may be a name with its credential.
 */
function readHeaderValue(member: Member): HeaderValue | null {
  const { value } = member;
  if (!Array.isArray(value)) return readSingleValue(value) ?? readText(member);
  const values = value.map(readSingleValue).filter((each) => each !== null);
  const isPair = typeof value[0] === 'string' && isCredential(value[0]);
  const isList = values.length === value.length && values.length > 0 && values.length <= maxHeaders;
  return isList && !isPair ? values : null;
}

function readSingleValue(value: unknown): SingleValue | null {
  if (typeof value === 'string') return value;
  if (!isWholly(value, base64Name) || typeof value.base64 !== 'string') return null;
  const bytes = decodeAnyBase64(value.base64);
  return bytes === undefined ? null : toHeaderValue(bytes);
}

const base64Name = new Set(['base64']);

/** Such as `["authorization", "..."]`; true if it is too deep to tell. */
function namesCredential(value: unknown, levels = 100): boolean {
  if (typeof value === 'string') return isCredential(value);
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.entries(value);
  return (
    levels === 0 || members.some(([name, each]) => isCredential(name) || namesCredential(each, levels - 1))
  );
}

/** The text of a string that is not empty, or of a number with all its digits; null for any other value. */
function readText({ value, source }: Member): string | null {
  return toText(typeof value === 'number' ? source : value);
}

function isEmpty({ value }: Member): boolean {
  return value === null || value === '';
}

/** The value of a member if jsonb stores it exactly, else its text as written. */
function keepExactly({ value, source }: Member): unknown {
  if (isDeeper(value, maxDepth)) return source;
  const printed = printJson(value);
  return printed === normalize(source) && replaceUnstorable(printed) === printed ? value : source;
}
