import { isDeeper } from '../json/parse-json.ts';
import type { HeaderValue } from '../message/event.ts';
import { toText } from './column-values.ts';
import { decodeAnyBase64 } from './decode-bytes.ts';
import { type Facts, factList } from './facts.ts';
import { isEmpty, keepExactly, type Member, type Members, readMembers, readText } from './json-members.ts';
import { maxDepth } from './payload.ts';
import { keepWithoutCredentials, readHeaderValue } from './report-headers.ts';

/** A fact of a report: its paths, the preferred one first. */
type Field = { readonly at: readonly string[]; readonly read: (text: string) => unknown };

const fields: readonly (readonly [fact: string, field: Field])[] = [
  ...factList.flatMap(([fact, [, read, report]]) =>
    report === undefined ? [] : [[fact, { at: report.split(' | '), read }] as const],
  ),
  ['contentType', { at: ['contentType'], read: toText }],
  ['keyBytes', { at: ['source.keyBase64'], read: decodeAnyBase64 }],
];

type Told = Omit<Facts, 'topicType' | 'hasEmptyValue' | 'ignored'> & {
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

/** A member of a report, or of a part of it. */
type Entry = { readonly part: string; readonly name: string; readonly member: Member };

const parts = new Set(['error', 'source', 'headers', 'metadata']);

/** Names that mean something else in the metadata of an event. */
const reserved = new Set([
  ...['ignored', 'unread', 'decided', 'damaged', 'inexact', 'deadLetteredAt'],
  ...['conflictsWith', 'keyConsumer', 'otherCaptures', 'query', 'withheld'],
]);

/**
 * Reads the members of a report: its facts, null for those that it does not tell, its headers and metadata,
 * and all others by their paths, in their order, unless they are empty, repeat what was read, or are among
 * `used`.
 */
export function readReportMembers(members: Members, used: readonly string[]) {
  const entries = listEntries(members);
  const { told, known } = readFields(new Map(entries.map((each) => [toPath(each), each.member])));
  const headers = entries.flatMap(({ part, name, member }): [string, HeaderValue][] => {
    const value = part === 'headers' ? readHeaderValue(member) : null;
    return value === null ? [] : [[name, value]];
  });
  const names = new Set(headers.map(([name]) => name));
  const isRead = ({ part, name, member }: Entry) =>
    (part === 'headers' && names.has(name)) ||
    (part === 'metadata' && !reserved.has(name)) ||
    (part === '' && (used.includes(name) || (parts.has(name) && isEmpty(member))));
  const ignored = entries.filter((each) => !isRead(each) && !known.has(toPath(each)));
  return {
    told,
    headers: Object.fromEntries(headers),
    metadata: readMetadata(members.get('metadata')),
    ignored: ignored.map((each) => [toPath(each), keepIgnored(each)] as const),
  };
}

/** The members of a report, and those of its parts, in their order. */
function listEntries(members: Members): Entry[] {
  return [...members].flatMap(([name, member]): Entry[] => {
    const own = parts.has(name) ? readMembers(member) : undefined;
    if (!own) return [{ part: '', name, member }];
    return [...own].map(([each, value]) => ({ part: name, name: each, member: value }));
  });
}

/** `source.foo`; a name that has a dot itself is in brackets: `headers["a.b"]`. */
function toPath({ part, name }: Entry): string {
  if (name === '' || /[.[\]"]/.test(name)) return `${part}[${JSON.stringify(name)}]`;
  return part === '' ? name : `${part}.${name}`;
}

/** All facts of a report, and the paths that need no other place. */
function readFields(members: Members) {
  const known = new Set<string>();
  const told = fields.map(([fact, field]) => [fact, readField(members, field, known)]);
  return { told: Object.fromEntries(told) as Told, known };
}

/** A fact from the first of its paths that has a usable value. Adds the paths that say no more to `known`. */
function readField(members: Members, { at, read }: Field, known: Set<string>): unknown {
  let found: { readonly text: string | null; readonly value: unknown } | undefined;
  for (const path of at) {
    const member = members.get(path);
    if (!member) continue;
    const text = readText(member);
    const value = text === null ? null : (read(text) ?? null);
    if (!found && value !== null) found = { text, value };
    if (isEmpty(member) || (found && found.text === text)) known.add(path);
  }
  return found?.value ?? null;
}

/** The sender's own JSON object. Metadata that is nested too deeply is kept as text. */
function readMetadata(member: Member | undefined): Record<string, unknown> | null {
  const own = member && readMembers(member);
  if (!own) return null;
  if (isDeeper(member.value, maxDepth)) return { text: member.source };
  const kept = [...own].filter(([name]) => !reserved.has(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, keepExactly(each)]));
}

function keepIgnored({ part, name, member }: Entry): unknown {
  const isOfHeaders = part === 'headers' || (part === '' && name === 'headers');
  return isOfHeaders ? keepWithoutCredentials(member, part && name) : keepExactly(member);
}
