import { isObject, printJson } from '../json/parse-json.ts';
import { keyFromHeaders } from './identity.ts';
import { isEmpty, keepExactly, type Member, type Members, readMembers } from './json-members.ts';
import type { Capture, Facts, Message } from './message.ts';

/** A failed message in the JSON object of a job queue or a service, which names it by an id of its own. */
export type FailedMessage = {
  readonly kind: string;
  /** The id of the message among all messages of its kind, for its whole life. */
  readonly identity: string;
  /** The time or the id of this failure of the message, or null. */
  readonly failure: string | null;
  readonly facts: Partial<Facts>;
};

/**
 * The JSON object of a message, if nothing but the object reports a failure of it; else undefined. What a consumer or a
 * broker reports is about the message as a whole, whatever it contains.
 */
export function openEnvelope({ json, facts }: Message): Readonly<Record<string, unknown>> | undefined {
  const isReported = facts.origin === 'report' || (facts.errorReason ?? null) !== null;
  return isObject(json) && !isReported ? json : undefined;
}

/**
 * All facts of a failed message. The coordinates of its transport are not its own: they are those of the object that
 * reports the failure, and are metadata. The same failure is one delivery, however often the object is sent.
 */
export function describeFailedMessage(
  message: Message,
  { kind, identity, failure, facts }: FailedMessage,
): Partial<Capture> {
  const { headers, facts: transport } = message;
  return {
    eventKey: keyFromHeaders(headers) ?? `${kind}:${identity}`,
    deliveryId: failure === null ? (transport.deliveryId ?? null) : `${kind}:${identity}/${failure}`,
    sourceKind: kind,
    sourceTopic: null,
    sourcePartition: null,
    sourceOffset: null,
    sourceKey: null,
    sourceKeyBase64: null,
    sourceSubscription: null,
    occurredAt: null,
    metadata: keepCoordinates(message),
    ...(facts.eventType !== undefined && { isTypeTold: facts.eventType !== 'unknown' }),
    ...facts,
  };
}

/**
 * The content of an object's member as the message. The other members are metadata, without those whose values are in
 * columns.
 */
export function takeMember(
  message: Message,
  name: string,
  columns: readonly string[],
): Pick<Capture, 'body' | 'contentType' | 'metadata'> {
  const members = openMembers(message);
  const others = [...members].filter(([each]) => each !== name && !columns.includes(each));
  return {
    body: Buffer.from(members.get(name)?.source ?? ''),
    contentType: 'application/json',
    metadata: addEnvelope(keepCoordinates(message), keepMembers(others)),
  };
}

/**
 * The object as the message, without the members that record its failures: they change with each, and the message does
 * not. They are metadata, without those whose values are in columns.
 */
export function dropMembers(
  message: Message,
  names: readonly string[],
  columns: readonly string[],
): Pick<Capture, 'body' | 'metadata'> {
  const members = [...openMembers(message)];
  const own = members.filter(([name]) => !names.includes(name));
  const dropped = members.filter(([name]) => names.includes(name) && !columns.includes(name));
  const text = own.map(([name, { source }]) => `${printJson(name)}:${source}`).join(',');
  return {
    body: own.length === members.length ? message.body : Buffer.from(`{${text}}`),
    metadata: addEnvelope(keepCoordinates(message), keepMembers(dropped)),
  };
}

/** The metadata of the transport with the coordinates that it reported. */
function keepCoordinates({ facts }: Message): Facts['metadata'] {
  const { sourceTopic: topic, sourcePartition: partition, sourceOffset: offset, sourceKey: key } = facts;
  const coordinates = { topic, partition, offset, key, subscription: facts.sourceSubscription };
  const known = Object.entries(coordinates).filter(([, value]) => (value ?? null) !== null);
  if (known.length === 0) return facts.metadata ?? null;
  return { ...facts.metadata, transport: Object.fromEntries(known) };
}

function openMembers({ json, body }: Message): Members {
  return readMembers({ value: json, source: body.toString() }) ?? new Map();
}

/** Metadata with what an envelope says beside the message and the facts. */
export function addEnvelope(
  metadata: Facts['metadata'] | undefined,
  entries: readonly (readonly [name: string, value: unknown])[],
): Facts['metadata'] {
  if (entries.length === 0) return metadata ?? null;
  return { ...metadata, envelope: Object.fromEntries(entries) };
}

function keepMembers(members: readonly (readonly [name: string, member: Member])[]) {
  return members
    .filter(([, member]) => !isEmpty(member))
    .map(([name, member]) => [name, keepExactly(member)] as const);
}
