import type { HeaderValue } from '../events/event.ts';
import { isDeeper, isObject, printJson } from '../json/parse-json.ts';
import { isCredential } from '../message/credential-headers.ts';
import { toBigCount, toCount, toErrorKind, toText } from './column-values.ts';
import { decodeAnyBase64 } from './decode-bytes.ts';
import { type Headers, maxHeaders, type SingleValue, toHeaderValue } from './header-values.ts';
import {
  isEmpty,
  keepExactly,
  type Member,
  type Members,
  maxDepth,
  readFields,
  readMembers,
  readText,
} from './json-members.ts';
import { sourceKeyFromBytes } from './kafka-record.ts';
import type { Facts } from './message.ts';
import { isWholly } from './wholly.ts';

/** A member of a report that is no fact: its path, and its value as it is kept. */
export type Ignored = readonly [path: string, value: unknown];

/** A part of a report: the facts in it, and the members that are none. */
export type Part<Values> = { readonly facts: Values; readonly ignored: readonly Ignored[] };

const errorFields = {
  errorReason: { names: ['message'], read: toText },
  errorClass: { names: ['class', 'name', 'type'], read: toText },
  errorStacktrace: { names: ['stack', 'stacktrace'], read: toText },
  errorKind: { names: ['kind'], read: toErrorKind },
};

/** The error: an object, or a text, which is its message. */
export function readError(
  member: Member | undefined,
): Part<Pick<Facts, 'errorReason' | 'errorClass' | 'errorStacktrace' | 'errorKind'>> {
  if (typeof member?.value !== 'string') {
    const members = openMembers(member);
    const { facts, used } = readFields(members, errorFields);
    return { facts, ignored: listIgnored('error', member, members, used) };
  }
  return {
    facts: { errorReason: member.value || null, errorClass: null, errorStacktrace: null, errorKind: null },
    ignored: [],
  };
}

const sourceFields = {
  kind: { names: ['kind'], read: toText },
  sourceTopic: { names: ['topic'], read: toText },
  sourcePartition: { names: ['partition'], read: toCount },
  sourceOffset: { names: ['offset'], read: toBigCount },
  sourceKey: { names: ['key'], read: toText },
  keyBytes: { names: ['keyBase64'], read: decodeAnyBase64 },
  sourceSubscription: { names: ['subscription'], read: toText },
  consumerGroup: { names: ['consumerGroup', 'group'], read: toText },
  sourceAttempts: { names: ['attempts'], read: toCount },
};

/** Where the message failed. `keyBase64` takes precedence over `key`. */
export function readSource(member: Member | undefined): Part<Partial<Facts>> {
  const members = openMembers(member);
  const { facts, used } = readFields(members, sourceFields);
  const { kind, keyBytes, ...others } = facts;
  if (keyBytes && others.sourceKey !== null && others.sourceKey !== keyBytes.toString()) used.delete('key');
  return {
    facts: { ...others, ...(keyBytes && sourceKeyFromBytes(keyBytes)), sourceKind: kind ?? 'report' },
    ignored: listIgnored('source', member, members, used),
  };
}

/** The message's own headers: texts, numbers as written, `{"base64"}` for other bytes, and lists of these. */
export function readHeaders(member: Member | undefined): Part<Headers> {
  const members = openMembers(member);
  const headers = [...(members ?? [])].flatMap(([name, each]): [string, HeaderValue][] => {
    const value = readHeaderValue(each);
    return value === null ? [] : [[name, value]];
  });
  const used = new Set(headers.map(([name]) => name));
  const rest = [...(members ?? [])].filter(([name]) => !used.has(name));
  const ignored = members
    ? rest.map(([name, each]): Ignored => [joinPath('headers', name), keepWithoutCredentials(each, name)])
    : member && !isEmpty(member)
      ? [['headers', keepWithoutCredentials(member)] as const]
      : [];
  return { facts: Object.fromEntries(headers), ignored };
}

/** Null for a value of another form; also for a list that may be a name with its credential. */
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
  if (!isObject(value) || !isWholly(value, base64Name) || typeof value.base64 !== 'string') return null;
  const bytes = decodeAnyBase64(value.base64);
  return bytes === undefined ? null : toHeaderValue(bytes);
}

const base64Name = new Set(['base64']);

function keepWithoutCredentials(member: Member, name = ''): unknown {
  // Deeper than any headers are.
  if (isDeeper(member.value, 100)) return 'withheld';
  const withheld = withholdCredentials(member.value, name);
  return printJson(withheld) === printJson(member.value) ? keepExactly(member) : withheld;
}

/**
 * A value of headers that have another form than an object of texts, without credentials: members, pairs such
 * as `["authorization", "..."]`, and objects with a name and a value.
 */
function withholdCredentials(value: unknown, name: unknown = ''): unknown {
  if (typeof name === 'string' && isCredential(name)) return 'withheld';
  if (Array.isArray(value)) {
    const isPair = value.length === 2 && typeof value[0] === 'string' && isCredential(value[0]);
    return isPair ? [value[0], 'withheld'] : value.map((each) => withholdCredentials(each));
  }
  if (!isObject(value)) return value;
  const named = value.name ?? value.key;
  return Object.fromEntries(
    Object.entries(value).map(([own, each]) => [
      own,
      own === 'name' || own === 'key' ? each : withholdCredentials(each, own === 'value' ? named : own),
    ]),
  );
}

/** Names that mean something else in the metadata of an event. */
const reserved = [
  ...['ignored', 'unread', 'decided', 'damaged', 'inexact', 'deadLetteredAt'],
  ...['conflictsWith', 'keyConsumer', 'otherCaptures', 'query', 'withheld'],
];

/** The sender's own JSON object. Metadata that is nested too deeply is kept as text. */
export function readMetadata(member: Member | undefined): Part<Facts['metadata']> {
  const members = member && readMembers(member);
  if (!members) return { facts: null, ignored: listIgnored('metadata', member, undefined, new Set()) };
  if (isDeeper(member.value, maxDepth)) return { facts: { text: member.source }, ignored: [] };
  const own = [...members].filter(([name]) => !reserved.includes(name));
  return {
    facts: Object.fromEntries(own.map(([name, each]) => [name, keepExactly(each)])),
    ignored: listIgnored('metadata', member, members, new Set(own.map(([name]) => name))),
  };
}

/** All members of a report that are no facts, in the order of the report. */
export function listIgnoredMembers(
  members: Members,
  { used, parts }: { readonly used: ReadonlySet<string>; readonly parts: ReadonlyMap<string, Part<unknown>> },
): readonly Ignored[] {
  return [...members].flatMap(([name, member]) => {
    const part = parts.get(name);
    if (part) return part.ignored;
    return used.has(name) ? [] : [[joinPath('', name), keepExactly(member)] as const];
  });
}

function openMembers(member: Member | undefined): Members | undefined {
  return member && readMembers(member);
}

/** An object's members without those that were used; any other value as a whole, unless it is empty. */
function listIgnored(
  parent: string,
  member: Member | undefined,
  members: Members | undefined,
  used: ReadonlySet<string>,
): readonly Ignored[] {
  if (!member || isEmpty(member)) return [];
  if (!members) return [[parent, keepExactly(member)]];
  return [...members]
    .filter(([name]) => !used.has(name))
    .map(([name, each]) => [joinPath(parent, name), keepExactly(each)]);
}

/** `source.foo`; a name that has a dot itself is in brackets: `headers["a.b"]`. */
function joinPath(parent: string, name: string): string {
  if (name === '' || /[.[\]"]/.test(name)) return `${parent}[${JSON.stringify(name)}]`;
  return parent === '' ? name : `${parent}.${name}`;
}
