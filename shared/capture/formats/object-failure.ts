import { readPointer } from '../../json/json-nodes.ts';
import { listValue } from '../../json/list-value.ts';
import { isObject, printJson } from '../../json/parse-json.ts';
import type { Fact } from '../../message/formats/format.ts';
import { findApplicationId, keyFromHeaders } from '../identity.ts';
import { isEmpty, keepExactly, type Members, readMembers, sliceAt } from '../json-members.ts';
import type { Capture, Facts, Message } from '../message.ts';
import { type CompiledFormat, findPlace, readFact, readTextFact } from './compile-format.ts';
import { describeError } from './describe-error.ts';
import type { Opened } from './places.ts';

/**
 * A failed message in the JSON object of a job queue or a service, which names it by an id of its own. The
 * coordinates of the transport are those of the object, and are metadata. The same failure is one delivery,
 * however often the object is sent.
 */
export function readObjectFailure(compiled: CompiledFormat, opened: Opened): Partial<Capture> {
  const { headers, facts: transport } = opened.message;
  const { name, kind = name, scheme = kind } = compiled.format;
  const text = (fact: Fact) => readTextFact(compiled, fact, opened);
  const [failure, key] = [text('failure'), `${scheme}:${text('identity')}`];
  return {
    eventKey: keyFromHeaders(headers) ?? key,
    eventId: text('id') ?? findApplicationId(headers),
    deliveryId: failure === null ? (transport.deliveryId ?? null) : `${key}/${failure}`,
    ...readType(compiled, opened),
    ...describeError(compiled, opened),
    sourceKind: kind ?? 'unknown',
    sourceTopic: text('topic'),
    sourcePartition: null,
    sourceOffset: text('offset'),
    sourceKey: text('key'),
    sourceKeyBase64: null,
    sourceSubscription: null,
    consumerGroup: text('consumer') ?? transport.consumerGroup ?? null,
    sourceAttempts: (readFact(compiled, 'attempts', opened) as number | null | undefined) ?? null,
    occurredAt: (readFact(compiled, 'time', opened) as Date | null | undefined) ?? null,
    ...splitObject(compiled, opened),
  };
}

function readType(compiled: CompiledFormat, opened: Opened): Partial<Facts> {
  if (compiled.facts.has('topicType')) {
    return { eventType: readTextFact(compiled, 'topicType', opened) ?? 'unknown', isTypeTold: false };
  }
  const type = readFact(compiled, 'type', opened) as string | null | undefined;
  return type === undefined ? {} : { eventType: type ?? 'unknown', isTypeTold: type !== null };
}

/**
 * The message: a member, or the object without the members that record its failures, which change with each.
 * What is neither in the message nor in a column is metadata.
 */
function splitObject(compiled: CompiledFormat, opened: Opened): Partial<Capture> {
  const { takes, drops = [] } = compiled.format;
  const { message } = opened;
  const members = readMembers({ value: message.json, source: message.body.toString() }) ?? new Map();
  const taken = takes === undefined ? undefined : takeMember(compiled.format, message);
  const [name] = takes === undefined ? [] : readPointer(takes);
  const isBeside = (each: string) => (taken ? each !== name : drops.includes(each));
  const columns = listColumns(compiled, opened);
  const beside = [...members].filter(([each]) => isBeside(each) && !columns.has(each));
  return {
    ...(taken ?? dropMembers(members, drops, message)),
    metadata: addEnvelope(
      keepCoordinates(message),
      beside.filter(([, member]) => !isEmpty(member)).map(([each, member]) => [each, keepExactly(member)]),
    ),
  };
}

/** The content at a pointer, as the message; undefined if there is none. */
export function takeMember(
  { takes = '', isText }: Pick<CompiledFormat['format'], 'takes' | 'isText'>,
  { json, body }: Message,
): Pick<Capture, 'body' | 'contentType'> | undefined {
  const [value] = listValue(json, readPointer(takes));
  const source = sliceAt(body.toString(), readPointer(takes));
  if (source === undefined) return undefined;
  const isOwnText = isText && typeof value === 'string' && value !== '';
  return { body: Buffer.from(isOwnText ? value : source), contentType: 'application/json' };
}

function dropMembers(members: Members, drops: readonly string[], { body }: Message) {
  const own = [...members].filter(([name]) => !drops.includes(name));
  const text = own.map(([name, { source }]) => `${printJson(name)}:${source}`).join(',');
  return { body: own.length === members.size ? body : Buffer.from(`{${text}}`) };
}

/** The members whose values are in columns as they are, or are the only element of a list. */
function listColumns({ facts }: CompiledFormat, opened: Opened): ReadonlySet<string> {
  const all = [...facts].filter(([fact]) => !['failure', 'identity', 'condition'].includes(fact));
  const places = all.flatMap(([, parts]) => (parts ?? []).map((each) => findPlace(each, opened)?.place));
  const { json } = opened.message;
  return new Set(
    places.flatMap((place) => {
      const [, name = '', index] = /^json:\/([^/]+)(\/-1)?(?!.*\*)/.exec(place?.at ?? '') ?? [];
      const isWhole = place?.at === `json:/${name}` && place.isKept;
      const list = isObject(json) ? json[name] : undefined;
      return isWhole || (index && Array.isArray(list) && list.length <= 1) ? [name] : [];
    }),
  );
}

/** The metadata of the transport with the coordinates that it reported. */
function keepCoordinates({ facts }: Message): Facts['metadata'] {
  const { sourceTopic: topic, sourcePartition: partition, sourceOffset: offset, sourceKey: key } = facts;
  const coordinates = { topic, partition, offset, key, subscription: facts.sourceSubscription };
  const known = Object.entries(coordinates).filter(([, value]) => (value ?? null) !== null);
  if (known.length === 0) return facts.metadata ?? null;
  return { ...facts.metadata, transport: Object.fromEntries(known) };
}

/** Metadata with what an envelope says beside the message and the facts. */
export function addEnvelope(
  metadata: Facts['metadata'] | undefined,
  entries: readonly (readonly [name: string, value: unknown])[],
): Facts['metadata'] {
  if (entries.length === 0) return metadata ?? null;
  return { ...metadata, envelope: Object.fromEntries(entries) };
}
