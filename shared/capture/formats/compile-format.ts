import { readPointer } from '../../json/json-nodes.ts';
import { isObject, listValue } from '../../json/parse-json.ts';
import { type Check, type Fact, type Format, facts } from '../../message/formats/format.ts';
import { toCount, toDate, toText } from '../column-values.ts';
import { isWholly } from '../content.ts';
import { keyFromId, toPublication } from '../identity.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import { addNotes, type Facts, factList, type Message } from '../message.ts';
import { keepExactly } from '../payload.ts';
import { type Conversion, toFailureText, toOwnText } from './conversions.ts';
import { describeException } from './describe-exception.ts';
import { type CompiledPlace, compilePlaces } from './places.ts';

export type CompiledFormat = ReturnType<typeof compileFormat>;

/** How a fact is converted whose place names no conversion, and that is not as its column is. */
const usual: Readonly<Partial<Record<Fact, Conversion>>> = {
  ...{ identity: toText, id: toText, key: toText, published: toDate },
};
/** The text between the parts of a fact. */
const joints: Readonly<Partial<Record<Fact, string>>> = {
  ...{ type: '.', topicType: '.', topic: '.', class: '.' },
  reason: ': ',
};

/** The facts of a capture, by their names in formats. */
const columns = new Map(
  factList.map(([name, [, read, fact]]) => [fact, { name, read: read === toText ? toFailureText : read }]),
);

export function compileFormat(format: Format) {
  const { under = '', position, error, id: identity } = format;
  const [topic, partition, offset] = position ?? [];
  const [errorClass, reason, stack] = error ?? [];
  const all: CompiledPlace[] = [];
  const compile = (at: string, convert: Conversion): readonly CompiledPlace[] => {
    const places = compilePlaces(at, under, convert);
    all.push(...places);
    return places;
  };
  const named = { identity, topic, partition, offset, class: errorClass, reason, stack, ...format };
  const checks = Object.entries(format.when ?? {}).map(([at, check]) => ({
    places: compile(at, toText),
    isNegated: check === 'none',
    isMet: check instanceof RegExp ? (value: unknown) => check.test(toText(value) ?? '') : kinds[check],
  }));
  /** The alternatives of each part of a fact; null if the record says that there is none. */
  const compiled = new Map(
    facts.flatMap((fact) => {
      const at = named[fact];
      if (at === undefined) return [];
      const convert = usual[fact] ?? columns.get(fact)?.read ?? toFailureText;
      return [[fact, at === null ? null : [at].flat().map((each) => compile(each, convert))] as const];
    }),
  );
  const others = Object.entries(format.only ?? {}).flatMap(([pointer, names]) =>
    names.map((name) => compile(`json:${pointer}/${name}`, toScalar)),
  );
  return {
    format,
    checks,
    facts: compiled,
    envelope: format.only ? [...listParts(compiled), ...others] : [],
    metadata: Object.entries(format.metadata ?? {}).map(([name, at]) => [name, compile(at, toText)] as const),
    headers: format.headers === undefined ? undefined : compile(format.headers, toOwnText)[0],
    only: compileOnly(format, all),
  };
}

/** Members that are no facts say nothing, unless they are objects. */
const toScalar: Conversion = (value) => (typeof value === 'object' ? null : String(value));

/** The members of an envelope, with those that may stand in for each. A body in one place was read. */
function listParts(facts: ReadonlyMap<Fact, readonly (readonly CompiledPlace[])[] | null>) {
  return [...facts].flatMap(([fact, each]) =>
    (each ?? []).filter(({ length }) => fact !== 'origin' && (fact !== 'body' || length > 1)),
  );
}

const kinds: Readonly<Record<Exclude<Check, RegExp>, (value: unknown) => boolean>> = {
  text: (value) => toText(value) !== null,
  // Of its places: the check is that there is no such value.
  none: (value) => (value ?? null) !== null,
  there: (value) => value !== undefined,
  filled: (value) => (isObject(value) ? Object.keys(value).length > 0 : toText(value) !== null),
  // Some languages print an empty object as an empty list.
  object: (value) => isObject(value) || (Array.isArray(value) && value.length === 0),
  list: Array.isArray,
  count: (value) => toCount(value) !== null,
  date: (value) => toDate(value) !== null,
  boolean: (value) => typeof value === 'boolean',
};

function compileOnly({ only = {} }: Format, all: readonly CompiledPlace[]) {
  return Object.keys(only).map((pointer) => {
    const start = `json:${pointer}/`;
    const own = all.filter(({ at }) => at.startsWith(start));
    const names = own.flatMap(({ at }) => at.slice(start.length).split('/', 1));
    return [readPointer(pointer), new Set(names)] as const;
  });
}

export function matches(compiled: CompiledFormat, message: Message): boolean {
  const { format, checks, only } = compiled;
  const { json, headers } = message;
  if (checks.length === 0 && !Object.keys(headers).some((name) => format.omit?.test(name))) return false;
  return (
    only.every(([tokens, names]) => isWholly(listValue(json, tokens)[0] ?? {}, names)) &&
    checks.every(
      ({ places, isMet, isNegated }) => places.some(({ raw }) => isMet(raw(message).at(-1))) !== isNegated,
    )
  );
}

/** At each hop, in their order. */
export function listFact({ facts }: CompiledFormat, fact: Fact, message: Message): readonly unknown[] {
  const [places = []] = facts.get(fact) ?? [];
  return places.flatMap(({ raw, read }) => raw(message).map((value) => read(value, message)));
}

/** From the latest hop: null if it is not there, undefined if the format does not name it. */
function readFact({ facts }: CompiledFormat, fact: Fact, message: Message): unknown {
  const parts = facts.get(fact);
  if (!parts) return parts;
  const values = parts.map((places) => readPlaces(places, message));
  if (values.length === 1) return values[0];
  const joint = joints[fact];
  // Half an id would be that of other messages, too, and a name without its first part another name.
  if (joint === undefined ? values.includes(null) : joint === '.' && values[0] === null) return null;
  return values.filter((value) => value !== null).join(joint ?? '/') || null;
}

export function readTextFact(compiled: CompiledFormat, fact: Fact, message: Message): string | null {
  return (readFact(compiled, fact, message) as string | null | undefined) ?? null;
}

/** The value of the first place that has one, else null. */
export function readPlaces(places: readonly CompiledPlace[], message: Message): unknown {
  for (const { raw, read } of places) {
    const value = read(raw(message).at(-1), message) ?? null;
    if (value !== null) return value;
  }
  return null;
}

/** What a record says of a message, whoever brought it. An application's id comes before a broker's. */
export function readFacts(compiled: CompiledFormat, message: Message): Partial<Facts> {
  const { name, of, kind = name, scheme = kind } = compiled.format;
  const identity = readTextFact(compiled, 'identity', message);
  const eventKey = message.ownKey ?? (identity === null ? undefined : `${scheme}:${identity}`);
  const own = readColumns(compiled, message);
  if ('eventId' in own && of !== 'webhook') own.eventId = message.ownId ?? own.eventId;
  const notes = compiled.metadata.map(([name, places]) => [name, readPlaces(places, message)] as const);
  const { metadata } = message.facts;
  const ignored = { ...Object(metadata?.ignored), ...listIgnored(compiled, message) };
  const told = {
    ...(eventKey !== undefined && { eventKey }),
    ...(kind !== null && { sourceKind: kind }),
    ...own,
    metadata: addNotes(metadata, { ...Object.fromEntries(notes), ignored }),
    ...readError(compiled, message),
  };
  return of === 'webhook' ? dropKnown(told, message.facts) : told;
}

/** Members of an envelope whose values have another form than the fact, or differ from the one read. */
function listIgnored({ envelope, format }: CompiledFormat, message: Message): Record<string, unknown> {
  const ignored: Record<string, unknown> = {};
  for (const places of envelope) {
    let chosen: string | null = null;
    for (const { at, raw, read, slice } of places) {
      const [value] = raw(message);
      if ((value ?? '') === '') continue;
      const text = toComparable(read(value, message));
      chosen ??= text;
      const isRead = text !== null && text === chosen;
      // An object of the envelope is read by its members.
      const isPart = isObject(value) && at.slice('json:'.length) in Object(format.only);
      if (isRead || isPart || !at.startsWith('json:/')) continue;
      ignored[toPath(at)] = keepExactly({ value, source: slice(message) });
    }
  }
  return ignored;
}

/** `source.key` of `json:/source/key`. */
export const toPath = (at: string) => at.slice('json:/'.length).replaceAll('/', '.');

const toComparable = (value: unknown) => ((value ?? '') === '' ? null : String(value));

/** A webhook reports no failure: what its transport says, such as a consumer's report, comes first. */
function dropKnown({ eventKey: _, ...told }: Partial<Facts>, known: Partial<Facts>): Partial<Facts> {
  const isNew = ([fact, value]: [string, unknown]) =>
    value !== null && (known[fact as keyof Facts] ?? null) === null;
  const facts: Partial<Facts> = Object.fromEntries(Object.entries(told).filter(isNew));
  return facts.eventId ? { ...facts, eventKey: keyFromId(facts.eventId) } : facts;
}

/** A message without a time of its own has that of its publication. */
function readColumns(compiled: CompiledFormat, message: Message): Record<string, unknown> {
  const told: Record<string, unknown> = {};
  for (const fact of compiled.facts.keys()) {
    const column = fact === 'topicType' ? fact : columns.get(fact)?.name;
    const value = column && readFact(compiled, fact, message);
    if (value instanceof Buffer) Object.assign(told, sourceKeyFromBytes(value));
    // Without a type or a trace of its own, a record leaves that of the transport.
    else if (column && (value !== null || !/type$|^trace$/i.test(fact))) told[column] = value;
    if (fact !== 'published') continue;
    told.publication = toPublication(value as Date | null);
    told.occurredAt ??= value;
  }
  return told;
}

/** Of a report, as its sender wrote them. */
export function readError(compiled: CompiledFormat, message: Message): Partial<Facts> {
  const text = (fact: Fact) => readTextFact(compiled, fact, message);
  const [errorClass, errorReason, errorStacktrace] = [text('class'), text('reason'), text('stack')];
  if (compiled.format.of === 'transport') return { errorReason, errorClass, errorStacktrace };
  const told = describeException({ errorClass, message: errorReason, stacktrace: errorStacktrace });
  return {
    ...(told.reason !== null && { errorReason: told.reason, errorClass: told.errorClass }),
    ...(errorStacktrace !== null && { errorStacktrace }),
  };
}
